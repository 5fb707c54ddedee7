#include "src/rule_files/nccl/rccl_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/human.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// Collectives that tuner files can name, by tutti's names.
constexpr std::array kTunedCollectives{Collective::allgather, Collective::allreduce,
                                       Collective::bcast, Collective::reduce,
                                       Collective::reduce_scatter};

// A set of sizes that are powers of two. Bit i is set if 2^i bytes is in the set.
using Sizes = std::uint64_t;
constexpr std::uint32_t kSizes = 41;  // the powers of two from 1 byte to 1 TiB

Sizes sizes_of(const Rule& rule) {
  Sizes sizes = 0;
  for (std::uint32_t i = 0; i < kSizes; ++i) {
    const std::uint64_t bytes = std::uint64_t{1} << i;
    if (bytes >= rule.bytes_from.value_or(0) && (!rule.bytes_below || bytes < *rule.bytes_below)) {
      sizes |= bytes;
    }
  }
  return sizes;
}

// Returns rising powers of two as ranges: "1 B to 4 B, 1 KiB".
std::string ranges_in_words(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < sizes.size();) {
    std::size_t last = i;
    while (last + 1 < sizes.size() && sizes[last + 1] == 2 * sizes[last]) {
      ++last;
    }
    ranges.push_back(
        last == i ? human_bytes(sizes[i])
                  : fmt::format("{} to {}", human_bytes(sizes[i]), human_bytes(sizes[last])));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

}  // namespace

void note_rccl_sizes_without_rule(RuleFile& file) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> parts;
  std::vector<std::string_view> untouched;
  std::size_t more = 0;
  for (const Collective collective : kTunedCollectives) {
    const auto table = std::ranges::find(file.tables, collective, &DecisionTable::collective);
    if (table == file.tables.end() || table->rules.empty()) {
      untouched.push_back(name(collective));
      continue;
    }
    std::map<std::uint32_t, Sizes> named;  // sizes with a rule, by number of ranks
    std::optional<Sizes> any;              // sizes with a rule for any number of ranks
    for (const Rule& rule : table->rules) {
      Sizes& sizes = rule.ranks_below ? named[*rule.ranks_from] : any.emplace(any.value_or(0));
      sizes |= sizes_of(rule);
    }
    const auto add = [&](Sizes covered, const std::string& on) {
      std::vector<std::uint64_t> without;
      for (std::uint32_t i = 0; i < kSizes; ++i) {
        if ((covered >> i & 1U) == 0) {
          without.push_back(std::uint64_t{1} << i);
        }
      }
      if (!without.empty() && parts.size() == kMostShown) {
        ++more;
      } else if (!without.empty()) {
        parts.push_back(fmt::format(
            "{} {} no rule for {} on {}: {}", counted(without.size(), "size"),
            without.size() == 1 ? "has" : "have", name(collective), on, ranges_in_words(without)));
      }
    };
    std::vector<std::uint32_t> numbers;
    for (const auto& [ranks, sizes] : named) {
      add(sizes | any.value_or(0), counted(ranks, "rank"));
      numbers.push_back(ranks);
    }
    if (any) {
      add(*any, named.empty() ? "any number of ranks" : "other numbers of ranks");
    } else {
      parts.push_back(fmt::format("{} has rules only for {} {}", name(collective),
                                  fmt::join(numbers, ", "),
                                  numbers == std::vector<std::uint32_t>{1} ? "rank" : "ranks"));
    }
  }
  if (more > 0) {
    parts.push_back(fmt::format("and sizes for {} more numbers of ranks", more));
  }
  if (!untouched.empty()) {
    parts.push_back(
        fmt::format("{} sizes have no rule for {}", kSizes, fmt::join(untouched, ", ")));
  }
  file.note(0,
            fmt::format(
                "The file replaces AMD's own table as a whole: {}. Sizes are the {} powers of "
                "two from 1 byte to 1 TiB. RCCL itself decides calls without a rule. To keep "
                "AMD's rules for these calls, append AMD's file rccl_tuner_<GPU>.csv to this "
                "file.",
                parts.empty() ? "every size has a rule" : fmt::format("{}", fmt::join(parts, "; ")),
                kSizes));
}

}}  // namespace tutti::rule_files
