#include "src/requests/problem_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace requests {

namespace {

// Returns the parts of a list of skips, without the part `search`.
std::string without_search(std::string_view text) {
  std::string others;
  for (const std::string_view part : split(text, ';')) {
    if (trimmed(part) != "search") {
      others += (others.empty() ? "" : ";") + std::string(part);
    }
  }
  return others;
}

class RequestReader {
 public:
  RequestReader(const ProblemOptions& options, std::span<const Algorithm* const> algorithms,
                const RequestForm& form)
      : options_(options), algorithms_(algorithms), form_(form) {}

  ProblemRequest read() {
    if (options_.collective) {
      throw UserError(fmt::format(
          "$collective '{}': only an MSCCL file takes this option, if its <algo> has no "
          "coll; leave it out",
          *options_.collective));
    }
    read_ranges();
    if (options_.root) {
      read_root();
    }
    ProblemTemplate& each = request_.each;
    each.given_options = request_.given_options = options_.given_options();
    refuse_two_ways_to_say_sizes();
    for (const GivenOption& given : options_.given_options()) {
      read_option(given);
    }
    std::erase_if(each.given_options, [&](const GivenOption& given) {
      return (request_.all_values & bit(given.option)) != 0 ||
             each.several(given.option) != nullptr ||
             (given.option == Option::skips && each.search_skips);
    });
    each.only_for_programs = options_.only_for_programs();
    each.ranks_per_host = options_.ranks_per_host_count();
    return std::move(request_);
  }

 private:
  void read_ranges() {
    if (options_.ranks) {
      request_.ranks = options_.ranks->value;
    } else if (const auto only = only_ranks(algorithms_)) {
      request_.ranks = {*only};
    }
    if (options_.element_bytes) {
      request_.each.element_bytes = options_.element_bytes->value;
    }
    if (options_.bytes) {
      request_.bytes = options_.bytes->value;
      if (request_.bytes.size() == 1) {
        request_.each.bytes_text = options_.bytes->text;
      }
      refuse_every_byte();
    }
  }

  // Throws UserError for a range such as 8K..64K, which gives every byte, if some of these sizes
  // are not whole elements.
  void refuse_every_byte() const {
    const std::string& text = options_.bytes->text;
    const std::uint32_t element = request_.each.element_bytes;
    if (text.find("..") == text.npos || text.find_first_of("*x") != text.npos ||
        std::ranges::all_of(request_.bytes,
                            [element](std::uint64_t bytes) { return bytes % element == 0; })) {
      return;
    }
    const std::vector<std::string> forms{text + "*2", text + "*4"};
    const std::string corrections = accepted_corrections(forms, [element](const std::string& form) {
      for (const std::uint64_t bytes : parse_byte_list("", form)) {
        if (bytes % element != 0) {
          throw UserError("not whole elements");
        }
      }
    });
    throw UserError(
        fmt::format("$bytes '{}': the range contains every byte between its ends, "
                    "but elements have {} bytes{}",
                    text, element,
                    corrections.empty() ? ""
                                        : fmt::format("; {} for multiples of the "
                                                      "smaller end",
                                                      corrections)));
  }

  void refuse_two_ways_to_say_sizes() const {
    const auto refuse = [](std::string_view flag, const std::string& text, std::string_view other) {
      throw UserError(fmt::format(
          "{} '{}': {} already sets the sizes of the blocks; leave out one of the two options",
          flag, text, other));
    };
    const auto& bytes = options_.of(Option::block_sizes);
    if (options_.block_skew && (bytes || options_.pair_sizes)) {
      refuse("$block_skew", options_.block_skew->text, bytes ? "$block_bytes" : "$sizes");
    }
    if (options_.pair_sizes && bytes) {
      refuse("$sizes", options_.pair_sizes->text(), "$block_bytes");
    }
    const auto of_pairs = [](const Algorithm* algorithm) {
      return algorithm->collective == Collective::alltoallv;
    };
    if (options_.pair_sizes && std::none_of(algorithms_.begin(), algorithms_.end(), of_pairs)) {
      throw UserError(
          fmt::format("$sizes '{}': only alltoallv has sizes for each pair of ranks; use "
                      "$block_bytes or $block_skew to give ranks blocks of different sizes",
                      options_.pair_sizes->text()));
    }
    if (options_.block_skew && std::all_of(algorithms_.begin(), algorithms_.end(), of_pairs)) {
      throw UserError(fmt::format("$block_skew '{0}': for alltoallv, write $sizes skewed:{0}",
                                  options_.block_skew->text));
    }
  }

  void read_root() {
    const auto rooted = [](const Algorithm* algorithm) { return has_root(algorithm->collective); };
    if (std::none_of(algorithms_.begin(), algorithms_.end(), rooted)) {
      throw UserError(
          fmt::format("{} has no root; leave out $root", name(algorithms_.front()->collective)));
    }
    request_.all_roots = options_.root->value.all;
    if (!request_.all_roots) {
      request_.each.root = options_.root->value.rank;
    }
  }

  void read_option(const GivenOption& given) {
    const auto taker =
        std::find_if(algorithms_.begin(), algorithms_.end(),
                     [&](const Algorithm* algorithm) { return takes(*algorithm, given.option); });
    if (taker == algorithms_.end()) {
      if (algorithms_.size() == 1) {
        refuse_untaken(*algorithms_.front(), given.field);
      }
      return;
    }
    ProblemTemplate& each = request_.each;
    const OptionType& type = option_type(given.option);
    const bool takes_several = (form_.all_values & bit(given.option)) != 0;
    if (given.option == Option::skips && form_.search_skips) {
      const std::string others = without_search(given.text);
      each.search_skips = others != given.text;
      if (each.search_skips) {
        if (!others.empty()) {
          each.give_several(given.option, type.parse_several(others));
        }
        return;
      }
    }
    if (options_.block_skew && given.option == Option::block_sizes) {
      each.block_skew = options_.block_skew->value;
    } else if (options_.pair_sizes && given.option == Option::block_sizes) {
      each.pair_sizes = options_.pair_sizes;
    } else if (given.text == "all" && takes_several) {
      request_.all_values |= bit(given.option);
    } else if (given.option == Option::segment && given.text == "auto") {
      if (!form_.best_segment) {
        throw UserError(
            "$segment 'auto': this command has no machine for which it could find the best size; "
            "give a size, such as 64K");
      }
      each.best_segment = true;
    } else if (takes_several && type.parse_several != nullptr) {
      std::vector<Problem> values = type.parse_several(given.text);
      if (values.size() == 1) {
        each.options.give(given.option, values.front());
      } else {
        each.give_several(given.option, std::move(values));
      }
    } else {
      each.options.parse(type, given.field, given.text, (*taker)->collective);
    }
  }

  const ProblemOptions& options_;
  std::span<const Algorithm* const> algorithms_;
  const RequestForm& form_;
  ProblemRequest request_;
};

}  // namespace

std::vector<std::optional<std::uint64_t>> ProblemRequest::sizes() const {
  return bytes.empty() ? std::vector<std::optional<std::uint64_t>>{std::nullopt}
                       : std::vector<std::optional<std::uint64_t>>(bytes.begin(), bytes.end());
}

ProblemRequest parse_request(const ProblemOptions& options,
                             std::span<const Algorithm* const> algorithms,
                             const RequestForm& form) {
  return RequestReader(options, algorithms, form).read();
}

Problem parse_problem(const ProblemOptions& options, const Algorithm& algorithm,
                      bool finds_segment) {
  const Algorithm* const alone = &algorithm;
  options.need_ranks("64", {&alone, 1});
  const ProblemRequest request =
      parse_request(options, {&alone, 1}, {.best_segment = finds_segment});
  return request.each.problem(algorithm, request.ranks.front(), request.sizes().front());
}

Problem parse_problem_beside(const ProblemOptions& options, const Algorithm& algorithm,
                             const Algorithm& other) {
  options.need_ranks("64");
  for (const GivenOption& given : options.given_options()) {
    if (!takes(algorithm, given.option) && !takes(other, given.option)) {
      throw UserError(
          fmt::format("neither {} nor {} takes {}; 'tutti list' shows the options of each",
                      algorithm.full_name(), other.full_name(), given.field));
    }
  }
  const auto given = options.only_for_programs();
  if (given && algorithm.program == nullptr && other.program == nullptr) {
    throw UserError(
        fmt::format("{}: applies only to programs in tutti's notation, and neither {} nor {} is "
                    "one; leave the option out",
                    *given, algorithm.full_name(), other.full_name()));
  }
  const std::array both{&algorithm, &other};
  const ProblemRequest request = parse_request(options, both, {.best_segment = true});
  ProblemTemplate own = request.each.applicable_to(algorithm);
  if (!has_root(algorithm.collective)) {
    own.root.reset();
  }
  return own.problem(algorithm, request.ranks.front(), request.sizes().front());
}

}}  // namespace tutti::requests
