// Derives the rules for one number of ranks from times in cells: which candidate to use from which
// size on. Prefers few rules.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/experiments/decisions/candidate_timer.hpp"

namespace tutti { inline namespace experiments {

// A rule: the choice for the sizes from `from_bytes` up to the beginning of the next interval.
struct SizeInterval {
  std::uint64_t from_bytes = 0;  // 0 for the first interval
  std::size_t candidate = 0;
  std::uint64_t segment_bytes = 0;
  // Indices of the first and the last cell of the interval, among all cells sorted by size.
  std::size_t first_cell = 0;
  std::size_t last_cell = 0;
  // The times show that this rule becomes better than the previous rule at a size in (after_bytes,
  // by_bytes]. Both are 0 for the first interval.
  std::uint64_t after_bytes = 0;
  std::uint64_t by_bytes = 0;

  [[nodiscard]] SegmentCandidate way() const { return {candidate, segment_bytes}; }
};

// Loss of the rules against the best choice of each size. Sizes are weighted by their logarithm:
// the range from 8 to 16 bytes counts as much as that from 8 to 16 MiB. If a program's profile is
// given, each size is weighted by the time that the program's calls of this size take.
struct RulesLoss {
  double mean = 0;  // over the whole range of sizes
  double most = 0;
  const TimedCell* worst = nullptr;  // the cell with the loss `most`; null if nothing is lost
};

struct RuleLimits {
  // A boundary between two rules is kept if it saves at least this share of the time over the whole
  // range.
  double tolerance = 0;
  std::optional<std::size_t> at_most;  // maximum number of rules

  friend bool operator==(const RuleLimits&, const RuleLimits&) = default;
};

// Returns the rules with the least loss for one number of ranks. Each rule after the first counts
// as an additional loss of limits.tolerance. A cell in which nothing runs gets the rule of a
// neighbouring cell. Empty if nothing runs at all. Boundaries are round numbers: see
// round_boundary() in rule_intervals.cpp.
[[nodiscard]] std::vector<SizeInterval> intervals_of(const std::vector<const TimedCell*>& cells,
                                                     const RuleLimits& limits);

// Returns the rules `intervals` of another number of ranks, applied to `cells`. Empty if some rule
// covers none of `cells`, or if the choice of a rule has no time, or is not allowed, in a cell that
// the rule covers.
[[nodiscard]] std::optional<std::vector<SizeInterval>> moved_to(
    const std::vector<const TimedCell*>& cells, const std::vector<SizeInterval>& intervals);

// Returns the loss of `way` in a cell: 0.1 if it takes 10 % longer than the best choice; almost 0
// if ties may account for the difference. 0 if no candidate has a time, or if `way` is a baseline
// without a time; larger than all real losses if `way` has no time or is not allowed.
[[nodiscard]] double loss_in(const TimedCell& cell, const SegmentCandidate& way);
[[nodiscard]] RulesLoss loss_of(const std::vector<const TimedCell*>& cells,
                                const std::vector<SizeInterval>& intervals);

// Returns the number in (after, by] that is divisible by the largest power of two.
[[nodiscard]] std::uint64_t roundest(std::uint64_t after, std::uint64_t by);

}}  // namespace tutti::experiments
