// From times in cells to rules of one number of ranks: which candidate from which size on, as few
// as it takes.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/experiments/decisions/candidate_timer.hpp"

namespace tutti::inline experiments {

// From `from_bytes` up to where the next one begins.
struct SizeInterval {
  std::uint64_t from_bytes = 0;  // of the first one 0
  std::size_t candidate = 0;
  std::uint64_t segment_bytes = 0;
  std::size_t first_cell = 0;  // of the cells of its number of ranks
  std::size_t last_cell = 0;
  // Between the two sizes that the boundary was found to lie; 0 and 0 of the first one.
  std::uint64_t after_bytes = 0;
  std::uint64_t by_bytes = 0;

  [[nodiscard]] SegmentCandidate way() const { return {candidate, segment_bytes}; }
};

// What rules lose against the best of each size. Times count by the logarithm of the size: as much
// from 8 to 16 bytes as from 8 to 16 MiB; of a program's profile, by what its calls take.
struct RulesLoss {
  double mean = 0;  // over the whole range of sizes
  double most = 0;
  const TimedCell* worst = nullptr;  // where `most` is; null where nothing is lost
};

struct RuleLimits {
  // A boundary stays where it saves at least so much of the time over the whole range.
  double tolerance = 0;
  std::optional<std::size_t> at_most;  // rules

  friend bool operator==(const RuleLimits&, const RuleLimits&) = default;
};

// The rules of one number of ranks that lose least, where each rule but the first counts as a loss
// of limits.tolerance. Cells in which nothing runs belong to their neighbours. Empty where nothing
// runs at all. Boundaries are round: see round_boundary().
[[nodiscard]] std::vector<SizeInterval> intervals_of(const std::vector<const TimedCell*>& cells,
                                                     const RuleLimits& limits);

// The same rules for other cells: those of another number of ranks. Nothing where a choice has no
// time there.
[[nodiscard]] std::optional<std::vector<SizeInterval>> moved_to(
    const std::vector<const TimedCell*>& cells, const std::vector<SizeInterval>& intervals);

[[nodiscard]] RulesLoss loss_of(const std::vector<const TimedCell*>& cells,
                                const std::vector<SizeInterval>& intervals);

// Gives the number in (after, by] with the fewest binary digits.
[[nodiscard]] std::uint64_t roundest(std::uint64_t after, std::uint64_t by);

}  // namespace tutti::inline experiments
