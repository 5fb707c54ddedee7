// Source for Open MPI: coll_tuned_decision_dynamic.c of 4.1.4, 5.0.9 and main of August 2026, where
// the variable dsize is the size that Open MPI looks up. dsize is the sum of the counts divided by
// the number of ranks for allgatherv, the bytes of one element times the number of ranks for scan
// and exscan, 0 for alltoallv and barrier, and n for all others. Source for MPICH: get_avg_msgsize
// and get_total_msgsize of csel.c at v4.0.2 and v4.3.0. In MPICH, the size of gather and scatter is
// a number of elements. If a rule compares the size of a collective that these functions do not
// handle, MPICH aborts the program. Source for UCC: ucc_coll_args_msgsize of ucc_coll_utils.c at
// 8263de47.
#include "src/rule_files/rule_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;

std::vector<SizeStep> by_blocks(const std::vector<SizeStep>& sizes, std::uint32_t ranks) {
  std::vector<SizeStep> blocks;
  for (SizeStep each : sizes) {
    each.from_bytes = (each.from_bytes + ranks - 1) / ranks;
    if (!blocks.empty() && blocks.back().from_bytes == each.from_bytes) {
      blocks.pop_back();
    }
    blocks.push_back(std::move(each));
  }
  return blocks;
}

// Leaves fewer and more ranks than `decided` (in rising order) to the library's own choice.
void leave_undecided(const std::vector<std::uint32_t>& decided, std::vector<RankStep>& steps) {
  constexpr std::uint32_t kFewestDecided = 2;
  if (decided.empty() || steps.empty()) {
    return;
  }
  const std::uint32_t first = steps.front().from_ranks;
  const std::uint32_t last = decided.back();
  const SizeStep own{
      0, choice_left_to_library(),
      fmt::format("the library's own choice; decided only for {} ranks",
                  first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last))};
  if (first > kFewestDecided && steps.front().sizes != std::vector{own}) {
    steps.insert(steps.begin(), {kFewestDecided, {own}});
  }
  if (last < std::numeric_limits<std::int32_t>::max() && steps.back().sizes != std::vector{own}) {
    steps.push_back({last + 1, {own}});
  }
}

}  // namespace

std::string_view why_no_size(RuleFormat format, Collective collective) {
  const std::string_view family = rule_form(format).family;
  if (collective == barrier) {
    return "a barrier has no size";
  }
  if (family == "Open MPI") {
    return collective == scan || collective == exscan
               ? "Open MPI looks up the bytes of one element times the number of ranks, whatever "
                 "the count"
           : collective == alltoallv ? "Open MPI looks up 0, whatever the counts"
                                     : "";
  }
  if (family == "MPICH") {
    return collective == gather || collective == scatter ? "MPICH counts elements, not bytes"
           : collective == scan || collective == exscan || collective == gatherv ||
                   collective == scatterv
               ? "MPICH has no size for this collective, and ends a program whose rules use one"
               : "";
  }
  return "";
}

RuleSize rule_size(RuleFormat format, Collective collective) {
  if (!why_no_size(format, collective).empty()) {
    return RuleSize::none;
  }
  // For an alltoall, MPICH has conditions on both sizes. Its built-in tree uses the size of a
  // block.
  const std::string_view family = rule_form(format).family;
  return (family == "Open MPI" && collective == allgatherv) ||
                 (family == "MPICH" && collective == alltoall) ||
                 (family == "UCC" && collective == reduce_scatter)
             ? RuleSize::block
             : RuleSize::vector;
}

std::vector<RankStep> steps_in_form(const RulesToWrite& rules, RuleFormat format) {
  std::vector<RankStep> steps = rules.steps;
  if (rule_form(format).leaves_calls) {
    leave_undecided(rules.ranks, steps);
  }
  switch (rule_size(format, rules.collective)) {
    case RuleSize::vector:
      return steps;
    case RuleSize::none:
      // The library looks up no size, so each step keeps only its first rule, which then applies to
      // all sizes.
      for (RankStep& step : steps) {
        step.sizes.resize(std::min<std::size_t>(step.sizes.size(), 1));
      }
      return steps;
    case RuleSize::block:
      break;
  }
  std::vector<RankStep> by_ranks;
  for (const RankStep& step : steps) {
    by_ranks.push_back({step.from_ranks, by_blocks(step.sizes, step.from_ranks)});
    const RankStep* const next = &step == &steps.back() ? nullptr : &step + 1;
    for (const std::uint32_t ranks : rules.ranks) {
      if (ranks > step.from_ranks && (next == nullptr || ranks < next->from_ranks)) {
        RankStep one{ranks, by_blocks(step.sizes, ranks)};
        if (one.sizes != by_ranks.back().sizes) {
          by_ranks.push_back(std::move(one));
        }
      }
    }
  }
  return by_ranks;
}

void check_sizes(DecisionTable& table, RuleFile& file) {
  if (rule_size(file.format, table.collective) == RuleSize::block) {
    table.measure = SizeMeasure::block;
  }
  const std::string_view why = why_no_size(file.format, table.collective);
  if (why.empty() || table.collective == barrier) {
    return;
  }
  for (const Rule& ranks : table.rules) {
    if (ranks.then.size() > 1) {
      file.error(ranks.then[1].line,
                 fmt::format("the rules by size for {} do not work as written: {}",
                             name(table.collective), why));
      return;
    }
  }
}

}}  // namespace tutti::rule_files
