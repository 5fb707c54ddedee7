// Finds decisions from times in cells: which candidate to use from which size on, and at which
// sizes the best candidate changes.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/experiments/decisions/rule_intervals.hpp"

namespace tutti { inline namespace experiments {

// Lead of an interval's choice over the best other candidate: 0.1 if the other candidate takes 10 %
// longer, -0.1 if the choice takes 10 % longer than the best choice. `least` and `most` are the
// smallest and the largest lead in the interval's cells.
struct Lead {
  double least = 0;  // negative if the choice is slower, which is allowed for small losses
  double most = 0;
  // True if `most` is only a lower bound, because the simulation of the other candidate was skipped
  // or stopped.
  bool open = false;
  // A cell near the middle of the interval; null if no lead is known.
  const TimedCell* typical = nullptr;
  // The fastest candidate whose time in `typical` differs from that of the interval's choice.
  std::optional<std::size_t> second;
  // An explanation of the lead in `typical`, if the load of links causes this lead; otherwise "".
  std::string links;

  [[nodiscard]] bool known() const { return typical != nullptr; }
};

struct RankDecision {
  std::uint32_t ranks = 1;
  std::list<TimedCell> cells;  // sorted by size
  std::vector<SizeInterval> intervals;
  std::vector<Lead> leads;  // one per interval; find_leads() in leads.hpp fills them in
  RulesLoss loss;           // what the choices of `intervals` lose against the best choices
  bool borrowed = false;    // true if `intervals` comes from the previous number of ranks
  // Sizes whose rules apply only to this number of ranks, and not to those between it and the next
  // one: there, the library's own choice is faster.
  std::set<std::uint64_t> ends_at;

  [[nodiscard]] std::vector<const TimedCell*> cells_by_size() const;
  // Returns the number of calls of the cell with this size; 0 if there is no such cell.
  [[nodiscard]] double calls_of(std::uint64_t bytes) const;
};

struct SearchSetup {
  RuleLimits limits;
  // Relative precision with which boundaries between rules are located. If `crossover` is 0, only
  // the sizes of the grid are timed.
  double crossover = 0.05;
  std::uint32_t element_bytes = 8;
};

// Callbacks that time cells and segment sizes. All may be empty if SearchSetup::crossover is 0.
// Segment sizes other than the best are tried only if `estimate` is set.
struct SearchTiming {
  std::function<void(const std::vector<TimedCell*>&)> time;  // fills in the times of new cells
  // Adds estimates to TimedCell::recuts.
  std::function<void(const std::vector<SegmentTrial>&)> estimate;
  // Times the trials, and replaces their estimates.
  std::function<void(const std::vector<SegmentTrial>&)> recut;
  // Returns true if the segment size of the candidate can be chosen.
  std::function<bool(std::size_t candidate)> cuts;
};

// Adds cells between neighbouring sizes with different choices, until the boundaries are precise
// enough, and fills in the intervals. For each number of ranks, uses the rules of the previous
// number of ranks again if these rules lose at most setup.limits.tolerance more than new rules.
void search_decisions(std::vector<RankDecision>& decisions, const SearchSetup& setup,
                      const SearchTiming& timing);

// Decides again from the known times, after TimedCell::at_most_s was changed in some cells.
void decide_anew(std::vector<RankDecision>& decisions, const RuleLimits& limits);

// Returns the decision table. Consecutive numbers of ranks with the same rules make one step. If
// rules end (see RankDecision::ends_at), a second step leaves their sizes to the library. Calls
// `why` to get the reason for each rule.
[[nodiscard]] std::vector<RankStep> steps_of(
    const std::vector<RankDecision>& decisions, const std::vector<Candidate>& candidates,
    const std::function<std::string(const RankDecision&, std::size_t interval)>& why);

}}  // namespace tutti::experiments
