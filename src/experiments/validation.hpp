// Compares simulated with measured times: how far they are apart, and whether the simulator picks
// the algorithm that is fastest in reality.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "schedules/op.hpp"
#include "src/experiments/measured_run.hpp"

namespace tutti::inline experiments {

// One operation in both timelines.
struct OpDifference {
  OpId id = kNoOp;
  std::string label;
  double measured_s = 0;  // from when it could start until its end (a message ends at the receiver)
  double simulated_s = 0;
};

struct ValidatedRun {
  const MeasuredRun* measured = nullptr;
  double simulated_s = 0;
  std::vector<OpDifference> differences;  // largest first; empty if no timeline was measured

  [[nodiscard]] double error() const { return simulated_s / measured->median_s - 1; }
};

// All runs of one collective with the same number of ranks, size and root. Algorithms with equal
// simulated times count as one choice, whose time is the median of their measured times.
struct ValidatedCell {
  std::vector<std::size_t> runs;
  std::size_t picked = 0;  // the entry of `runs` with the least simulated time; the first of equals
  // The entry of `runs` with the least measured time, within the fastest choice.
  std::size_t fastest = 0;
  double loss = 0;  // measured time of the picked choice over that of the fastest, minus 1

  // True if the loss is at most 5 %, or if the confidence intervals of both choices overlap.
  bool right = false;
};

// Statistics over all runs of one collective on one number of ranks.
struct ValidationSummary {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 0;
  bool oversubscribed = false;
  std::size_t runs = 0;
  double median_error = 0;  // of the absolute error
  double worst_error = 0;
  double median_error_from_4k = 0;  // over runs of 4 KiB and more
  std::size_t runs_from_4k = 0;
  std::optional<double> rank_correlation;  // Spearman's; mean over cells with at least 2 algorithms
  std::size_t cells = 0;                   // with at least 2 algorithms
  std::size_t right = 0;
};

struct Validation {
  std::vector<ValidatedRun> runs;
  std::vector<ValidatedCell> cells;
  std::vector<ValidationSummary> summaries;
  // Runs that are excluded because the machine was too busy when they were measured.
  std::vector<std::string> too_busy;
};

// Returns the `most` operations whose duration differs most between both timelines. A duration
// counts from the end of the operation's predecessors.
[[nodiscard]] std::vector<OpDifference> compare_operations(const Schedule& schedule,
                                                           const Timeline& measured,
                                                           const Timeline& simulated,
                                                           std::size_t most);

// Derives the cells and summaries from `runs`, which already have their times.
[[nodiscard]] Validation validation_of(std::vector<ValidatedRun> runs);

// Returns Spearman's rank correlation; equal values share the mean of their ranks. Empty for fewer
// than two values, or if all values of one side are equal.
[[nodiscard]] std::optional<double> rank_correlation(const std::vector<double>& a,
                                                     const std::vector<double>& b);

}  // namespace tutti::inline experiments
