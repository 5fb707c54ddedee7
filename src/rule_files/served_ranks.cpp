#include "src/rule_files/served_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace tutti::inline rule_files {

namespace {

// The numbers of ranks for which the library tries a rule. For a single rank, libraries look up no
// rules.
struct Ranks {
  std::uint64_t from = 2;
  std::uint64_t below = std::numeric_limits<std::uint64_t>::max();
  bool power_of_two = false;

  [[nodiscard]] Ranks within(const Rule& rule) const {
    Ranks both = *this;
    both.from = std::max<std::uint64_t>(from, rule.ranks_from.value_or(0));
    both.below = std::min<std::uint64_t>(below, rule.ranks_below.value_or(below));
    both.power_of_two = power_of_two || rule.ranks_power_of_two;
    return both;
  }
  // Returns the smallest of these numbers that is greater than 2; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> but_two() const {
    std::uint64_t least = std::max<std::uint64_t>(from, 3);
    least = power_of_two ? std::bit_ceil(least) : least;
    return least < below ? std::optional(least) : std::nullopt;
  }
};

bool asks_for_fewer_ranks_only(const Rule& rule) {
  Rule others;
  others.ranks_from = rule.ranks_from;
  others.ranks_power_of_two = rule.ranks_power_of_two;
  others.bytes_from = rule.bytes_from;
  others.bytes_below = rule.bytes_below;
  others.elements_below = rule.elements_below;
  return rule.ranks_below && !others.conditional();
}

void look(const std::vector<Rule>& rules, Ranks asked, RuleFile& file) {
  for (const Rule& rule : rules) {
    const Ranks here = asked.within(rule);
    if (rule.choice && rule.choice->served == ServedRanks::two) {
      if (const auto other = here.but_two()) {
        file.warn(rule.line, fmt::format("{} works on 2 ranks only, but this rule also applies to "
                                         "{} ranks{}, where the call fails",
                                         rule.choice->library_algorithm, *other,
                                         here.below > *other + 1 ? " and more" : ""));
      }
    }
    look(rule.then, here, file);
    if (asks_for_fewer_ranks_only(rule)) {
      asked.from = std::max<std::uint64_t>(asked.from, rule.ranks_below.value_or(0));
    }
  }
}

}  // namespace

void find_unserved(const std::vector<Rule>& rules, RuleFile& file) { look(rules, {}, file); }

std::optional<std::string> why_unserved(const Choice& choice, std::uint32_t ranks) {
  if (choice.served == ServedRanks::two && ranks != 2) {
    return fmt::format("{} works on 2 ranks only; on {} the call fails", choice.library_algorithm,
                       ranks);
  }
  if (choice.served == ServedRanks::powers_of_two && !std::has_single_bit(ranks)) {
    return fmt::format("{} needs a number of ranks that is a power of two, not {}",
                       choice.library_algorithm, ranks);
  }
  return std::nullopt;
}

}  // namespace tutti::inline rule_files
