// From times in cells to decisions: from which size on which candidate, and where they cross.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "src/experiments/decisions/cell_times.hpp"

namespace tutti {

// From `from_bytes` up to where the next one begins.
struct Reign {
  std::uint64_t from_bytes = 0;  // of the first one 0
  std::size_t candidate = 0;
  std::uint64_t segment_bytes = 0;
  std::size_t first_cell = 0;  // of the cells of its number of ranks
  std::size_t last_cell = 0;
  // Between the two sizes that the boundary was found to lie; 0 and 0 of the first one.
  std::uint64_t after_bytes = 0;
  std::uint64_t by_bytes = 0;
};

struct RankDecision {
  std::uint32_t ranks = 1;
  std::list<TimedCell> cells;  // by size
  std::vector<Reign> reigns;
};

struct SearchSetup {
  double tolerance = 0;     // a choice that takes so much longer than the best is kept
  double crossover = 0.05;  // how well boundaries shall be known; 0: not beyond the grid
  std::uint32_t element_bytes = 8;
};

// The reigns of one number of ranks, as few as `tolerance` allows. Cells in which nothing runs
// belong to the reign before.
[[nodiscard]] std::vector<Reign> reigns_of(const std::vector<const TimedCell*>& cells,
                                           double tolerance);

// Adds cells between sizes where the choice changes, until the boundaries are known well enough,
// and fills in the reigns. `time` times new cells.
void search_decisions(std::vector<RankDecision>& decisions, const SearchSetup& setup,
                      const std::function<void(const std::vector<TimedCell*>&)>& time);

// Gives the number in (after, by] with the fewest binary digits.
[[nodiscard]] std::uint64_t roundest(std::uint64_t after, std::uint64_t by);

// The table that the decisions make: neighbours in rank that decide alike are one step.
[[nodiscard]] std::vector<RankStep> steps_of(const std::vector<RankDecision>& decisions,
                                             const std::vector<Candidate>& candidates);

}  // namespace tutti
