#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_size.hpp"
#include "src/rule_files/ucc/conf.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// UCC reads a longer line as two lines.
constexpr std::size_t kLongestWrittenLine = 8191;
// The largest number of ranks that UCC's sections can name safely: ranges have no "inf".
constexpr std::uint32_t kMostRanks = std::numeric_limits<std::int32_t>::max();

// The rules of one collective, with sizes as UCC compares them.
struct UccRules {
  Collective collective;
  std::vector<RankStep> steps;

  // Returns the step for a number of ranks.
  [[nodiscard]] const RankStep& step(std::uint32_t ranks) const {
    const RankStep* found = &steps.front();
    for (const RankStep& each : steps) {
      found = each.from_ranks <= ranks ? &each : found;
    }
    return *found;
  }
};

// Writes the parts of UCC_TL_UCP_TUNE for a collective. The smallest size of a range belongs to the
// previous range, so a range begins one byte below its first size.
std::string tune_of(const UccRules& rules, const RankStep& step) {
  std::string text;
  for (std::size_t i = 0; i < step.sizes.size(); ++i) {
    const SizeStep& size = step.sizes[i];
    const bool last = i + 1 == step.sizes.size();
    if (size.choice.left_to_library) {
      continue;  // UCC itself decides calls for which there is no part
    }
    text += fmt::format("{}{}:{}-{}:@{}", text.empty() ? "" : "#", name(rules.collective),
                        size.from_bytes == 0 ? 0 : size.from_bytes - 1,
                        last ? "inf" : std::to_string(step.sizes[i + 1].from_bytes - 1),
                        library_algorithm_for(RuleFormat::ucc, rules.collective, size.choice).name);
  }
  return text;
}

}  // namespace

void write_ucc_conf(std::span<const RulesToWrite> all, std::ostream& out) {
  write_head(all, RuleFormat::ucc, out);
  std::vector<UccRules> rules;
  std::set<std::uint32_t> from;
  for (const RulesToWrite& each : all) {
    rules.push_back({each.collective, steps_in_form(each, RuleFormat::ucc)});
    for (const RankStep& step : rules.back().steps) {
      from.insert(&step == &rules.back().steps.front() ? 1 : step.from_ranks);
    }
  }
  for (auto ranks = from.begin(); ranks != from.end(); ++ranks) {
    const auto next = std::next(ranks);
    const bool decided = std::ranges::any_of(
        rules, [&](const UccRules& each) { return !tune_of(each, each.step(*ranks)).empty(); });
    if (!decided) {
      continue;
    }
    fmt::print(out, "\n[team_size={}-{}]\n", *ranks, next == from.end() ? kMostRanks : *next - 1);
    std::string tune;
    for (const UccRules& each : rules) {
      const RankStep& step = each.step(*ranks);
      for (const SizeStep& size : step.sizes) {
        if (!size.why.empty() && !size.choice.left_to_library) {
          write_comment(
              fmt::format("{}: {}",
                          library_algorithm_for(RuleFormat::ucc, each.collective, size.choice).name,
                          size.why),
              out);
        }
      }
      const std::string own = tune_of(each, step);
      tune += (tune.empty() || own.empty() ? "" : "#") + own;
    }
    const std::string line = "UCC_TL_UCP_TUNE=" + tune;
    if (line.size() > kLongestWrittenLine) {
      throw UserError(
          fmt::format("the rules for {} ranks need a line of {} characters, but UCC reads "
                      "at most {}; write fewer collectives to a file, or use "
                      "$rules_at_most",
                      *ranks, line.size(), kLongestWrittenLine));
    }
    out << line << '\n';
  }
}

}}  // namespace tutti::rule_files
