#include "src/rule_files/rule_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

bool covers(const RuleConditions& outer, const RuleConditions& inner) {
  const auto at_most = [](const auto& a, const auto& b) { return !a || (b && *a <= *b); };
  const auto at_least = [](const auto& a, const auto& b) { return !a || (b && *a >= *b); };
  return at_most(outer.ranks_from, inner.ranks_from) &&
         at_least(outer.ranks_below, inner.ranks_below) &&
         at_most(outer.bytes_from, inner.bytes_from) &&
         at_least(outer.bytes_below, inner.bytes_below) &&
         (!outer.ranks_power_of_two || inner.ranks_power_of_two) &&
         (!outer.nodes || outer.nodes == inner.nodes) &&
         (outer.elements_below == ElementsBelow::any ||
          outer.elements_below == inner.elements_below);
}

namespace {

// True if the rule has no condition other than the limits `from` and `below`.
template <typename Number>
bool asks_for_nothing_else(const Rule& rule, std::optional<Number> RuleConditions::*from,
                           std::optional<Number> RuleConditions::*below) {
  RuleConditions others = rule;
  (others.*from).reset();
  (others.*below).reset();
  return !others.conditional();
}

// True if, for every number from `start` on, one of the rules holds. Ignores rules that have
// conditions other than the limits `from` and `below`.
template <typename Number>
bool reaches_all(const std::vector<Rule>& rules, std::optional<Number> RuleConditions::*from,
                 std::optional<Number> RuleConditions::*below, Number start) {
  constexpr Number kMost = std::numeric_limits<Number>::max();
  std::vector<std::pair<Number, Number>> ranges;
  for (const Rule& rule : rules) {
    if (asks_for_nothing_else(rule, from, below)) {
      ranges.emplace_back((rule.*from).value_or(0), (rule.*below).value_or(kMost));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  Number covered = start;
  for (const auto& [first, end] : ranges) {
    if (first > covered) {
      return false;
    }
    covered = std::max(covered, end);
  }
  return covered == kMost;
}

bool complete(const std::vector<Rule>& rules) {
  return reaches_all<std::uint64_t>(rules, &Rule::bytes_from, &Rule::bytes_below, 0) ||
         reaches_all<std::uint32_t>(rules, &Rule::ranks_from, &Rule::ranks_below, 2);
}

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
  [[nodiscard]] std::optional<std::uint64_t> least_above_two() const {
    std::uint64_t least = std::max<std::uint64_t>(from, 3);
    least = power_of_two ? std::bit_ceil(least) : least;
    return least < below ? std::optional(least) : std::nullopt;
  }
};

bool asks_for_fewer_ranks_only(const Rule& rule) {
  RuleConditions others = rule;
  others.ranks_below.reset();
  return rule.ranks_below && !others.conditional();
}

void look(const std::vector<Rule>& rules, Ranks applicable, RuleFile& file) {
  for (const Rule& rule : rules) {
    const Ranks here = applicable.within(rule);
    if (rule.choice && rule.choice->served == ServedRanks::two) {
      if (const auto other = here.least_above_two()) {
        file.fails(rule.line, fmt::format("{} works on 2 ranks only, but this rule also applies to "
                                          "{} ranks{}, where the call fails",
                                          rule.choice->library_algorithm, *other,
                                          here.below > *other + 1 ? " and more" : ""));
      }
    }
    look(rule.then, here, file);
    if (asks_for_fewer_ranks_only(rule)) {
      applicable.from = std::max<std::uint64_t>(applicable.from, rule.ranks_below.value_or(0));
    }
  }
}

}  // namespace

void find_unreachable(const std::vector<Rule>& rules, RuleFile& file) {
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    const auto before = std::find_if(rules.begin(), rule,
                                     [&](const Rule& earlier) { return covers(earlier, *rule); });
    // Skips rules with an empty range of sizes: OmpiJsonReader reports them itself.
    const bool never =
        rule->bytes_from && rule->bytes_below && *rule->bytes_from >= *rule->bytes_below;
    if (before != rule && !never) {
      file.error(rule->line,
                 fmt::format("never reached: the rule of line {} holds whenever this one does",
                             before->line));
    }
    find_unreachable(rule->then, file);
  }
  // Does not report gaps for libraries that decide themselves if no rule holds, such as NCCL: in
  // their files, gaps are intended.
  if (!rules.empty() && !complete(rules) && !rule_form(file.format).decides_the_rest) {
    file.warn(rules.back().line,
              "these rules are incomplete: there are calls for which none of them holds");
  }
}

void find_unserved(const std::vector<Rule>& rules, RuleFile& file) { look(rules, {}, file); }

void check_fan_out(const LibraryAlgorithm& algorithm, std::int64_t fan,
                   std::string_view segment_place, std::size_t line, RuleFile& file) {
  constexpr std::int64_t kLeastSegment = 512;  // no smaller segment size is in use
  const bool chain = algorithm.fan_is_radix && algorithm.name == "chain";
  if (fan < kLeastSegment && !(chain && fan > kMostChains)) {
    return;
  }
  const std::string meaning =
      chain ? fmt::format("fan-out {} is read as {}, the largest", fan, kMostChains)
      : algorithm.fan_is_radix ? fmt::format("fan-out {} is the radix of the tree", fan)
                               : fmt::format("{} does not use the fan-out {}", algorithm.name, fan);
  file.warn(line,
            meaning + (fan < kLeastSegment ? ""
                       : algorithm.segments
                           ? fmt::format("; was the segment size meant? It is {}", segment_place)
                           : fmt::format("; nor does {} use a segment size, if that was meant",
                                         algorithm.name)));
}

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

}}  // namespace tutti::rule_files
