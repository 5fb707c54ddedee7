// From times in cells to decisions: from which size on which candidate, and where they cross.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/rule_intervals.hpp"

namespace tutti::inline experiments {

// How far an interval is ahead of the best of the others, over its cells.
struct Lead {
  double least = 0;  // below 0: behind; a choice is kept while it loses little
  double most = 0;
  bool open = false;  // `most` is against a time that is known to be at least so long
  const TimedCell* typical = nullptr;  // the cell in its middle
  std::optional<std::size_t> second;   // there, the best candidate that takes another time
  std::string links;  // where links decide there, why, by the accounts of both; "" elsewhere

  [[nodiscard]] bool known() const { return typical != nullptr; }
};

struct RankDecision {
  std::uint32_t ranks = 1;
  std::list<TimedCell> cells;  // by size
  std::vector<SizeInterval> intervals;
  std::vector<Lead> leads;  // of the intervals; empty until find_leads() of leads.hpp
  RulesLoss loss;           // of the intervals
  bool borrowed = false;    // the intervals are those of the number of ranks before

  [[nodiscard]] std::vector<const TimedCell*> cells_by_size() const;
};

struct SearchSetup {
  RuleLimits limits;
  double crossover = 0.05;  // how well boundaries shall be known; 0: not beyond the grid
  std::uint32_t element_bytes = 8;
};

// How cells and cuts get their times. Those that are empty are not asked for.
struct SearchTiming {
  std::function<void(const std::vector<TimedCell*>&)> time;        // fills in new cells
  std::function<void(const std::vector<SegmentTrial>&)> estimate;  // adds recuts
  std::function<void(const std::vector<SegmentTrial>&)> recut;     // times them
  std::function<bool(std::size_t candidate)> cuts;                 // may be cut otherwise
};

// Adds cells between sizes where the choice changes, until the boundaries are known well enough,
// and fills in the intervals. Neighbours in rank take the same rules where that loses less than
// setup.limits.tolerance.
void search_decisions(std::vector<RankDecision>& decisions, const SearchSetup& setup,
                      const SearchTiming& timing);

// Decides anew from the times that are known, after cells were given other limits.
void decide_anew(std::vector<RankDecision>& decisions, const RuleLimits& limits);

// The table that the decisions make: neighbours in rank that decide alike are one step. `why` is
// asked for each rule.
[[nodiscard]] std::vector<RankStep> steps_of(
    const std::vector<RankDecision>& decisions, const std::vector<Candidate>& candidates,
    const std::function<std::string(const RankDecision&, std::size_t interval)>& why);

}  // namespace tutti::inline experiments
