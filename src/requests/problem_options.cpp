#include "src/requests/problem_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/machine_memory.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {

namespace {

// Throws UserError for a number of ranks written as nodes and ranks per node, such as 16x8.
// `per_host` is the option that says how many ranks share a host.
void refuse_product(std::string_view from, const std::string& given, std::string_view per_host) {
  const std::string text = plain_ascii(given);
  const std::size_t cross = text.find_first_of("xX*");
  if (cross == text.npos || text.find("..") != text.npos) {
    return;
  }
  const auto nodes = parsed_number<std::uint32_t>(trimmed(std::string_view(text).substr(0, cross)));
  const auto each = parsed_number<std::uint32_t>(trimmed(std::string_view(text).substr(cross + 1)));
  if (nodes && each && *nodes > 0 && *each > 0 && std::uint64_t{*nodes} * *each <= kMostRanks) {
    throw UserError(fmt::format("{} '{}': not a whole number; write {}, and {} {}", from, given,
                                *nodes * *each, per_host, *each));
  }
}

std::vector<std::uint32_t> checked_ranks(std::vector<std::uint32_t> ranks, std::string_view from) {
  if (std::ranges::find(ranks, 0U) != ranks.end()) {
    throw UserError(fmt::format("{} '0': a collective needs at least 1 rank", from));
  }
  return ranks;
}

// Reads a list of ranks. A range written as 0-3 is refused because of its 0; otherwise the message
// would propose 0..3.
std::vector<std::uint32_t> parse_rank_list(std::string_view from, const std::string& given) {
  const std::string text = plain_ascii(given);
  for (const std::string_view item : split(text, ',')) {
    const std::string_view value = trimmed(item);
    const std::size_t sign = value.find_first_not_of('0');
    if (sign != 0 && sign != value.npos && (value[sign] == '-' || value[sign] == ':')) {
      throw UserError(fmt::format("{} '{}': a collective needs at least 1 rank", from, value));
    }
  }
  return checked_ranks(parse_counts(from, given, kMostRanks), from);
}

}  // namespace

std::vector<std::uint32_t> parse_ranks(std::string_view from, const std::string& text) {
  refuse_product(from, text, "$ranks_per_host");
  return parse_rank_list(from, text);
}

std::vector<std::uint32_t> parse_gpus(std::string_view from, const std::string& text) {
  refuse_product(from, text, "$gpus_per_node");
  return parse_rank_list(from, text);
}

std::vector<std::uint64_t> parse_sizes(std::string_view from, const std::string& text) {
  return parse_byte_list(from, text);
}

std::uint32_t parse_element_bytes(std::string_view from, const std::string& text) {
  const std::uint64_t size = parse_bytes(from, text);
  constexpr std::uint64_t kLargest = 1U << 20U;
  if (size == 0 || size > kLargest) {
    throw UserError(fmt::format("{} '{}': must be from 1 byte to 1 MiB", from, text));
  }
  return static_cast<std::uint32_t>(size);
}

RootChoice parse_root(std::string_view from, const std::string& text) {
  return {.rank = parse_count(from, text)};
}

RootChoice parse_root_or_all(std::string_view from, const std::string& text) {
  return text == "all" ? RootChoice{.all = true} : parse_root(from, text);
}

PairSizes parse_pair_sizes(std::string_view from, const std::string& text) { return {from, text}; }

std::vector<std::uint32_t> parse_ranks_per_host(std::string_view from, const std::string& text) {
  std::vector<std::uint32_t> counts = parse_counts(from, text);
  if (std::ranges::find(counts, 0U) != counts.end()) {
    throw UserError(fmt::format("{} '0': each host must have at least 1 rank", from));
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

namespace {

std::vector<std::uint32_t> parse_one_ranks(std::string_view from, const std::string& text) {
  refuse_product(from, text, "$ranks_per_host");
  return checked_ranks({parse_count(from, text, kMostRanks)}, from);
}

std::vector<std::uint64_t> parse_one_size(std::string_view from, const std::string& text) {
  return {parse_bytes(from, text)};
}

std::vector<std::uint32_t> parse_one_per_host(std::string_view from, const std::string& text) {
  (void)parse_count(from, text);
  return parse_ranks_per_host(from, text);
}

// The limits of a program without --limit.
ProgramLimits usual_limits() {
  ProgramLimits limits;
  limits.memory_bytes = std::min<std::uint64_t>(limits.memory_bytes, usable_memory_bytes() / 2);
  return limits;
}

ProgramLimits parse_limits(std::string_view from, const std::string& text) {
  ProgramLimits limits = usual_limits();
  for (const std::string_view one : split(text, ',')) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = one.substr(std::min(equals + 1, one.size()));
    const std::string option = fmt::format("{} {}", from, name);
    if (name == "operations") {
      limits.operations = parse_bytes(option, value);
    } else if (name == "steps") {
      limits.steps = parse_bytes(option, value);
    } else if (name == "memory") {
      limits.memory_bytes = parse_bytes(option, value);
    } else if (name == "nesting") {
      limits.nesting = parse_count(option, value, ProgramLimits::kMostNesting);
    } else {
      throw UserError(
          fmt::format("{} '{}': write operations=N, steps=N, memory=SIZE or nesting=N", from, one));
    }
  }
  return limits;
}

struct AsParameters {
  std::vector<ParameterValues> operator()(std::string_view from,
                                          const std::vector<std::string>& texts) const {
    std::vector<ParameterValues> all;
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == text.npos) {
        throw UserError(fmt::format("{} '{}': write NAME=N, such as k=4", from, text));
      }
      const std::string name = text.substr(0, equals);
      for (const ParameterValues& before : all) {
        if (before.name == name) {
          throw UserError(
              fmt::format("{} '{}': '{}' is already given; write {}=2,3,4 for several values", from,
                          text, before.text, name));
        }
      }
      all.push_back(
          {name, parse_counts(fmt::format("{} {}", from, name), text.substr(equals + 1)), text});
    }
    return all;
  }
};

}  // namespace

void ProblemOptions::add_plain_to(Command& app, Values values) {
  const OptionGroup group(app, "Problem");
  group
      .add("-p,--ranks", ranks, "COUNT", "Number of ranks",
           values == Values::list ? parse_ranks : parse_one_ranks)
      .usual();
  group
      .add("-n,--bytes", bytes, "SIZE",
           "Size of the largest buffer that any rank holds: 1000 (bytes), 64K (= 64KiB) or 1MiB",
           values == Values::list ? parse_sizes : parse_one_size)
      .usual();
  group.add("--elem-bytes", element_bytes, "SIZE", "Size of an element in bytes [8]",
            parse_element_bytes);
}

void ProblemOptions::add_to(Command& app, Values values) {
  const OptionGroup group(app, "Problem");
  add_plain_to(app, values);
  group.add("--root", root, "RANK", "Root rank, for a collective that has a root [0]", parse_root);
  for (const OptionType* type : option_types()) {
    group
        .add(std::string(type->flag()), own[index_of(type->option)], std::string(type->type_name),
             with_fields(type->help()))
        .words({type->words.begin(), type->words.end()})
        .usual(type->option == Option::segment);
    if (type->option == Option::block_sizes) {
      group.add("--block-skew", block_skew, "X",
                "Instead of --block-bytes: each rank's block is 1+X times as large as the next "
                "rank's, in whole elements; 0: all blocks are equal",
                AsNumber());
      group.add(
          "--sizes", pair_sizes, "WHAT",
          "For alltoallv, number of bytes that each rank sends to each other rank: uniform, "
          "skewed:S[:SEED] (each rank sends --bytes in all, and each receiver gets 1+S times as "
          "much as the next), capped:S[:SEED] (the same, scaled down until no rank receives more "
          "than --bytes), load:L (rank 0 receives L times the mean), experts:E,top=K (tokens of a "
          "mixture of experts; more words, after commas: tokens=4096, skew=0, capacity=F, nodes=N, "
          "node=RANKS, seed=1), sparse:K[:SEED] (each rank sends to K others only), or a CSV file "
          "with a row "
          "for each sender [uniform]",
          parse_pair_sizes);
    }
  }
  group.add("--limit", limit, "NAME=N",
            "Limits on a program in tutti's notation [operations=100M,steps=1G,nesting=100, and "
            "memory=8GiB, or half of the usable memory if that is less]",
            parse_limits);
  group
      .add("--set", set, "NAME=N",
           "Set a parameter that a program in tutti's notation declares (as in 'param k = 3'): "
           "k=4; compare and decide also accept several values: k=2,3,4",
           AsParameters())
      .one_at_a_time();
  add_ranks_per_host(group);
  group.add("--collective", collective, "NAME",
            "The collective of an MSCCL file that does not name it (its <algo> has no coll)");
}

std::vector<GivenOption> ProblemOptions::given_options() const {
  std::vector<GivenOption> given_options;
  for (const OptionType* type : option_types()) {
    if (const auto& text = of(type->option)) {
      given_options.push_back({type->option, field_of(type->flag()), *text});
    }
    if (type->option == Option::block_sizes && block_skew) {
      given_options.push_back({type->option, "$block_skew", block_skew->text});
    }
    if (type->option == Option::block_sizes && pair_sizes) {
      given_options.push_back({type->option, "$sizes", pair_sizes->text()});
    }
  }
  return given_options;
}

void ProblemOptions::add_ranks_per_host(const OptionGroup& group) {
  group.add("--ranks-per-host", ranks_per_host, "COUNT", kRanksPerHostHelp, parse_one_per_host)
      .usual();
}

std::uint32_t ProblemOptions::ranks_per_host_count() const {
  if (!ranks_per_host) {
    return 1;
  }
  if (ranks_per_host->value.size() > 1) {
    throw UserError(fmt::format("$ranks_per_host '{}': give one number; a list needs $library",
                                ranks_per_host->text));
  }
  return ranks_per_host->value.front();
}

ProgramLimits ProblemOptions::program_limits() const {
  return limit ? limit->value : usual_limits();
}

std::optional<std::string> ProblemOptions::only_for_programs() const {
  return limit          ? std::optional(fmt::format("$limit '{}'", limit->text))
         : !set.empty() ? std::optional(fmt::format("$set '{}'", set.front().text))
                        : std::nullopt;
}

std::optional<std::uint32_t> only_ranks(std::span<const Algorithm* const> algorithms) {
  return algorithms.size() == 1 && algorithms.front()->program != nullptr
             ? algorithms.front()->program->ranks()
             : std::nullopt;
}

void ProblemOptions::need_ranks(std::string_view example,
                                std::span<const Algorithm* const> algorithms) const {
  if (!ranks && !only_ranks(algorithms)) {
    throw UserError(
        fmt::format("the number of ranks is missing; give $ranks, such as $ranks={}", example));
  }
}

void refuse_what_none_takes(const std::vector<GivenOption>& given_options,
                            std::span<const Algorithm* const> algorithms) {
  for (const GivenOption& given : given_options) {
    if (std::ranges::any_of(algorithms,
                            [&](const Algorithm* each) { return takes(*each, given.option); })) {
      continue;
    }
    const Collective collective = algorithms.front()->collective;
    const bool one = std::ranges::all_of(
        algorithms, [&](const Algorithm* each) { return each->collective == collective; });
    throw UserError(
        one ? fmt::format(
                  "no algorithm of {0} takes {1}; 'tutti list {0}' shows the options of each",
                  name(collective), given.field)
            : fmt::format(
                  "none of these algorithms takes {}; 'tutti list' shows the options of each",
                  given.field));
  }
}

void ProblemOptions::refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const {
  const auto none = [algorithms](auto&& takes) {
    return std::none_of(algorithms.begin(), algorithms.end(),
                        [&](const Algorithm* algorithm) { return takes(*algorithm); });
  };
  tutti::refuse_what_none_takes(given_options(), algorithms);
  if (root && none([](const Algorithm& algorithm) { return has_root(algorithm.collective); })) {
    throw UserError(
        fmt::format("{} has no root; leave out $root", name(algorithms.front()->collective)));
  }
  const auto given = only_for_programs();
  if (given && none([](const Algorithm& algorithm) { return algorithm.program != nullptr; })) {
    throw UserError(*given +
                    ": applies only to programs in tutti's notation; leave the option out");
  }
}

}}  // namespace tutti::requests
