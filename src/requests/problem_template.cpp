#include "src/requests/problem_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/patterns/composition.hpp"

namespace tutti { inline namespace requests {

void refuse_untaken(const Algorithm& algorithm, std::string_view field) {
  throw UserError(
      algorithm.program != nullptr
          ? fmt::format("{} takes no {}: a program takes $segment if it uses S, $cores_per_node "
                        "if it uses C, $tree if it uses tree, and $set NAME=N for a parameter "
                        "that it declares (as in 'param k = 3')",
                        algorithm.program->file(), field)
          : fmt::format("{} takes no {}; 'tutti list {}' shows its options", algorithm.full_name(),
                        field, name(algorithm.collective)));
}

Problem ProblemTemplate::problem(const Algorithm& algorithm, std::uint32_t ranks,
                                 std::optional<std::uint64_t> bytes) const {
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = ranks;
  problem.element_bytes = element_bytes;
  problem.bytes = bytes.value_or(0);
  if (algorithm.collective == Collective::barrier && problem.bytes != 0) {
    throw UserError(fmt::format("$bytes '{}': a barrier moves no data; leave the size out",
                                in_words(problem.bytes)));
  }
  for (const GivenOption& given : given_options) {
    if (!takes(algorithm, given.option)) {
      refuse_untaken(algorithm, given.field);
    }
  }
  if (options.has(Option::groups) && options.has(Option::ranks_per_node)) {
    throw UserError(fmt::format(
        "$cores_per_node '{}': $groups already determines which ranks are near each other; leave "
        "one of them out",
        options.text(Option::ranks_per_node)));
  }
  // With --groups, the number of ranks per host does not determine which ranks share a node.
  problem.ranks_per_node = options.has(Option::groups) ? problem.ranks_per_node : ranks_per_host;
  options.copy_into(problem);
  if (place_groups) {
    place_groups(problem);
  }
  put_blocks(problem, bytes);
  const bool sizes_say_it =
      options.has(Option::block_sizes) || (pair_sizes && pair_sizes->from_file());
  if (!bytes && !sizes_say_it && algorithm.collective != Collective::barrier) {
    throw UserError("the size is missing; give $bytes, such as $bytes=1MiB");
  }
  if (root) {
    if (!has_root(algorithm.collective)) {
      throw UserError(fmt::format("{} has no root; leave out $root", name(algorithm.collective)));
    }
    problem.root = *root;
  }
  if (only_for_programs && algorithm.program == nullptr) {
    throw UserError(fmt::format(
        "{}: applies only to programs in tutti's notation, and {} is not one; leave the option out",
        *only_for_programs, algorithm.full_name()));
  }
  return problem;
}

void ProblemTemplate::put_blocks(Problem& problem, std::optional<std::uint64_t> bytes) const {
  if (block_skew) {
    // The division may round, because check() rejects a size that is not a multiple of the element
    // size.
    problem.block_bytes =
        skewed_blocks(problem.bytes / problem.element_bytes, problem.ranks, *block_skew);
    for (std::uint64_t& block : problem.block_bytes) {
      block *= problem.element_bytes;
    }
  }
  if (pair_sizes) {
    put_pair_sizes(problem, bytes);
    return;
  }
  const auto text =
      std::find_if(given_options.begin(), given_options.end(),
                   [](const GivenOption& given) { return given.option == Option::block_sizes; });
  if (!options.has(Option::block_sizes) || text == given_options.end()) {
    return;
  }
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("$block_bytes '{}': {}", text->text, why));
  };
  const bool of_pairs = problem.collective == Collective::alltoallv;
  if (problem.block_bytes.size() != natural_blocks(problem.collective, problem.ranks)) {
    refuse(fmt::format("{} for {}; each {} needs one", counted(problem.block_bytes.size(), "size"),
                       counted(problem.ranks, "rank"), of_pairs ? "pair of ranks" : "rank"));
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t block : problem.block_bytes) {
    sum += block;  // no overflow: at most a million sizes, each below 2^44
    if (block % problem.element_bytes != 0) {
      refuse(fmt::format("{} bytes are not a whole number of {}-byte elements", block,
                         problem.element_bytes));
    }
  }
  if (of_pairs) {
    const auto most = largest_buffer(problem.block_bytes, problem.ranks);
    if (!most) {
      refuse("a rank sends or receives more than 16 TiB");
    } else if (bytes && *most != *bytes) {
      throw UserError(
          fmt::format("$bytes '{}': with $block_bytes, the rank that sends or receives most "
                      "has {} bytes; leave $bytes out",
                      in_words(*bytes), *most));
    }
    problem.bytes = most.value_or(0);
    return;
  }
  if (bytes && sum != *bytes) {
    throw UserError(
        fmt::format("$bytes '{}': the sizes of $block_bytes add up to {} bytes; leave $bytes out",
                    in_words(*bytes), sum));
  }
  if (sum > kMaxMessageBytes) {
    refuse("the sizes add up to more than 16 TiB");
  }
  problem.bytes = sum;
}

void ProblemTemplate::put_pair_sizes(Problem& problem, std::optional<std::uint64_t> bytes) const {
  problem.block_bytes = pair_sizes->of(problem.ranks, problem.bytes, problem.element_bytes);
  if (problem.block_bytes.empty()) {
    return;
  }
  const auto most = largest_buffer(problem.block_bytes, problem.ranks);
  if (!most) {
    throw UserError(
        fmt::format("$sizes '{}': a rank sends or receives more than 16 TiB", pair_sizes->text()));
  }
  if (pair_sizes->from_file() && bytes && *bytes != *most) {
    throw UserError(
        fmt::format("$bytes '{}': with $sizes, the rank that sends or receives most has {} "
                    "bytes ({}); leave $bytes out",
                    in_words(*bytes), *most, human_bytes(*most)));
  }
  problem.bytes = *most;
}

ProblemTemplate ProblemTemplate::applicable_to(const Algorithm& algorithm) const {
  ProblemTemplate kept = *this;
  for (const OptionType* type : option_types()) {
    if (!takes(algorithm, type->option) && !type->changes_problem) {
      kept.drop(type->option);
    }
  }
  // A composed algorithm takes Option::cuts if one of its two parts does.
  if (takes(algorithm, Option::parts) &&
      !parts_take_cuts(kept.options.values().parts, algorithm.collective)) {
    kept.drop(Option::cuts);
  }
  if (algorithm.program == nullptr) {
    kept.only_for_programs.reset();
  }
  return kept;
}

std::optional<std::string> ProblemTemplate::why_not_these_blocks(const Algorithm& algorithm,
                                                                 std::uint32_t ranks) const {
  if (!gives_blocks()) {
    return std::nullopt;
  }
  if (!takes(algorithm, Option::block_sizes)) {
    const auto given = std::ranges::find(given_options, Option::block_sizes, &GivenOption::option);
    return fmt::format("{} splits the vector evenly, so {} does not apply", algorithm.name,
                       given == given_options.end() ? "$block_bytes" : given->field);
  }
  const bool of_pairs = algorithm.collective == Collective::alltoallv;
  if (block_skew && of_pairs) {
    return fmt::format("alltoallv takes no $block_skew; write $sizes skewed:{:g}", *block_skew);
  }
  if (pair_sizes && !of_pairs) {
    return fmt::format("{} takes no $sizes, because only alltoallv has sizes for pairs of ranks",
                       name(algorithm.collective));
  }
  const std::size_t sizes = options.values().block_bytes.size();
  if (of_pairs && options.has(Option::block_sizes) && sizes == ranks && ranks > 1) {
    return fmt::format("$block_bytes has {}, but alltoallv needs one for each of the {} pairs",
                       counted(sizes, "size"), std::uint64_t{ranks} * ranks);
  }
  return std::nullopt;
}

Problem ProblemTemplate::even_problem(const Algorithm& algorithm, std::uint32_t ranks,
                                      std::optional<std::uint64_t> bytes) const {
  ProblemTemplate even = applicable_to(algorithm);
  const std::vector<std::uint64_t>& blocks = even.options.values().block_bytes;
  const std::uint64_t sum = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  even.drop(Option::block_sizes);
  return even.problem(algorithm, ranks,
                      algorithm.collective == Collective::barrier ? 0 : bytes.value_or(sum));
}

const std::vector<Problem>* ProblemTemplate::several(Option option) const {
  const auto found = std::find_if(several_.begin(), several_.end(),
                                  [option](const auto& one) { return one.first == option; });
  return found == several_.end() ? nullptr : &found->second;
}

void ProblemTemplate::give_several(Option option, std::vector<Problem> values) {
  drop(option);
  several_.emplace_back(option, std::move(values));
}

void ProblemTemplate::give(Option option, const Problem& from) {
  drop(option);
  options.give(option, from);
  const auto after = std::find_if(
      given_options.begin(), given_options.end(),
      [option](const GivenOption& given) { return index_of(given.option) > index_of(option); });
  const OptionType& type = option_type(option);
  given_options.insert(after, {option, field_of(type.flag()), type.print(from)});
}

void ProblemTemplate::drop(Option option) {
  options.drop(option);
  std::erase_if(given_options,
                [option](const GivenOption& given) { return given.option == option; });
  std::erase_if(several_, [option](const auto& one) { return one.first == option; });
  if (option == Option::segment) {
    best_segment = false;
  } else if (option == Option::block_sizes) {
    block_skew.reset();
    pair_sizes.reset();
  }
}

std::string ProblemTemplate::in_words(std::uint64_t bytes) const {
  return bytes_text.value_or(fmt::format("{}", bytes));
}

}}  // namespace tutti::requests
