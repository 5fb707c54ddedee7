// Computes how much a decision over several placements of the ranks depends on the placement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/experiments/decisions/decision.hpp"

namespace tutti { inline namespace experiments {

// A candidate, with segments of any size, that is the best in some placements.
struct PlacementWinner {
  std::size_t candidate = 0;
  std::size_t placements = 0;  // number of placements in which it is the best
};

// One number of ranks and one size of the grid.
struct PlacementCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  SegmentCandidate choice;
  std::vector<PlacementWinner> winners;  // most placements first
  std::size_t choice_wins = 0;  // number of placements in which no candidate beats `choice`
  // Mean, shortest and longest time of `choice` over all placements.
  double mean_s = 0;
  double least_s = 0;
  double most_s = 0;
  // Loss of the choice against the best candidate of each placement. `mean_loss` compares the sums
  // of times over all placements; `most_loss` is the largest loss in one placement.
  double mean_loss = 0;
  double most_loss = 0;
  std::uint32_t worst_seed = 0;  // seed of the placement with most_loss
};

// Returns the cells of the grid, sorted by number of ranks and then by size. Leaves out cells in
// which nothing runs or the choice does not run. Empty if there is a single placement.
[[nodiscard]] std::vector<PlacementCell> placement_spread(const Decision& decision);

}}  // namespace tutti::experiments
