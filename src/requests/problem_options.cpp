#include "src/requests/problem_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/machine_memory.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

void ProblemOptions::add_to(Command& app) {
  const OptionGroup group(app, "Problem");
  group.add("-p,--ranks", ranks, "COUNT", "Number of ranks");
  group.add("-n,--bytes", bytes, "SIZE",
            "Size of the largest buffer that any rank holds: 1000 (bytes), 64K (= 64KiB) or 1MiB");
  group.add("--elem-bytes", element_bytes, "SIZE", "Size of an element in bytes [8]");
  group.add("--root", root, "RANK", "Root rank, for a collective that has a root [0]");
  for (const OptionType* type : option_types()) {
    group
        .add(std::string(type->flag()), own[index_of(type->option)], std::string(type->type_name),
             with_fields(type->help()))
        .words({type->words.begin(), type->words.end()});
    if (type->option == Option::block_sizes) {
      group.add("--block-skew", block_skew, "X",
                "Instead of --block-bytes: each rank's block is 1+X times as large as the next "
                "rank's, in whole elements; 0: all blocks are equal");
      group.add(
          "--sizes", pair_sizes, "WHAT",
          "For alltoallv, number of bytes that each rank sends to each other rank: uniform, "
          "skewed:S[:SEED] (each rank sends --bytes in all, and each receiver gets 1+S times as "
          "much "
          "as the next), capped:S[:SEED] (the same, scaled down until no rank receives more than "
          "--bytes), sparse:K[:SEED] (each rank sends to K others only), or a CSV file with a row "
          "for each sender [uniform]");
    }
  }
  group.add("--limit", limit, "NAME=N",
            "Limits on a program in tutti's notation [operations=100M,steps=1G,nesting=100, and "
            "memory=8GiB, or half of the machine's memory if that is less]");
  group
      .add("--set", set, "NAME=N",
           "Set a parameter that a program in tutti's notation declares (as in 'param k = 3'): "
           "k=4; compare and decide also accept several values: k=2,3,4")
      .one_at_a_time();
  group.add("--ranks-per-host", ranks_per_host, "COUNT", kRanksPerHostHelp);
  group.add("--collective", collective, "NAME",
            "The collective of an MSCCL file that does not name it (its <algo> has no coll)");
}

std::vector<SaidOption> ProblemOptions::said() const {
  std::vector<SaidOption> said;
  for (const OptionType* type : option_types()) {
    if (const OptionText& text = of(type->option)) {
      said.push_back({type->option, type->flag(), *text});
    }
    if (type->option == Option::block_sizes && block_skew) {
      said.push_back({type->option, "--block-skew", *block_skew});
    }
    if (type->option == Option::block_sizes && pair_sizes) {
      said.push_back({type->option, "--sizes", *pair_sizes});
    }
  }
  return said;
}

std::uint32_t ProblemOptions::ranks_per_host_count() const {
  const std::uint32_t count = ranks_per_host ? parse_count("--ranks-per-host", *ranks_per_host) : 1;
  if (count == 0) {
    throw UserError("--ranks-per-host '0': each host must have at least 1 rank");
  }
  return count;
}

ProgramLimits ProblemOptions::program_limits() const {
  ProgramLimits limits;
  limits.memory_bytes = std::min<std::uint64_t>(limits.memory_bytes, physical_memory_bytes() / 2);
  if (!limit) {
    return limits;
  }
  for (const std::string_view one : split(*limit, ',')) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = one.substr(std::min(equals + 1, one.size()));
    const std::string option = fmt::format("--limit {}", name);
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
          fmt::format("--limit '{}': write operations=N, steps=N, memory=SIZE or nesting=N", one));
    }
  }
  return limits;
}

std::vector<ParameterValues> ProblemOptions::parameters() const {
  std::vector<ParameterValues> all;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos) {
      throw UserError(fmt::format("--set '{}': write NAME=N, such as k=4", text));
    }
    const std::string name = text.substr(0, equals);
    for (const ParameterValues& before : all) {
      if (before.name == name) {
        throw UserError(
            fmt::format("--set '{}': '{}' is already given; write {}=2,3,4 for several values",
                        text, before.text, name));
      }
    }
    all.push_back({name, parse_counts("--set " + name, text.substr(equals + 1)), text});
  }
  return all;
}

OptionText ProblemOptions::only_for_programs() const {
  return limit          ? OptionText(fmt::format("--limit '{}'", *limit))
         : !set.empty() ? OptionText(fmt::format("--set '{}'", set.front()))
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
    throw UserError(fmt::format("how many ranks? Give -p/--ranks, such as -p {}", example));
  }
}

void refuse_what_none_takes(const std::vector<SaidOption>& said,
                            std::span<const Algorithm* const> algorithms) {
  for (const SaidOption& given : said) {
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
                  name(collective), given.flag)
            : fmt::format(
                  "none of these algorithms takes {}; 'tutti list' shows the options of each",
                  given.flag));
  }
}

void ProblemOptions::refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const {
  const auto none = [algorithms](auto&& takes) {
    return std::none_of(algorithms.begin(), algorithms.end(),
                        [&](const Algorithm* algorithm) { return takes(*algorithm); });
  };
  tutti::refuse_what_none_takes(said(), algorithms);
  if (root && none([](const Algorithm& algorithm) { return has_root(algorithm.collective); })) {
    throw UserError(
        fmt::format("{} has no root; leave out --root", name(algorithms.front()->collective)));
  }
  const OptionText given = only_for_programs();
  if (given && none([](const Algorithm& algorithm) { return algorithm.program != nullptr; })) {
    throw UserError(*given +
                    ": applies only to programs in tutti's notation; leave the option out");
  }
}

}}  // namespace tutti::requests
