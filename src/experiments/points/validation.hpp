// Compares simulated times with measured times: how far they are apart, and whether the simulator
// picks the algorithm that is fastest in reality.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "schedules/op.hpp"
#include "src/experiments/points/measured_run.hpp"

namespace tutti { inline namespace experiments {

// Durations of one operation in the measured and in the simulated timeline.
struct OpDifference {
  OpId id = kNoOp;
  std::string label;
  // A duration begins when all predecessors of the operation have ended, and lasts until the end of
  // the operation. A message ends when it has been received.
  double measured_s = 0;
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
  // The entry of `runs` with the shortest simulated time; if several are equal, the first.
  std::size_t picked = 0;
  // Among the runs of the fastest choice, the entry of `runs` with the shortest measured time.
  std::size_t fastest = 0;
  // Measured time of the choice that contains the run `picked`, divided by the measured time of the
  // fastest choice, minus 1.
  double loss = 0;

  // True if the loss is at most 5 %, or if the confidence intervals of the picked and the fastest
  // choice overlap.
  bool right = false;
};

// Statistics over all runs of one collective on one number of ranks.
struct ValidationSummary {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 0;
  bool oversubscribed = false;
  std::size_t runs = 0;
  double median_error = 0;  // median of the absolute relative error
  double worst_error = 0;
  double median_error_from_4k = 0;  // median_error over runs of at least 4 KiB only
  std::size_t runs_from_4k = 0;
  // Spearman's rank correlation of simulated and measured times; mean over the cells with at least
  // 2 algorithms.
  std::optional<double> rank_correlation;
  std::size_t cells = 0;  // number of cells with at least 2 algorithms
  std::size_t right = 0;
};

struct Validation {
  std::vector<ValidatedRun> runs;
  std::vector<ValidatedCell> cells;
  std::vector<ValidationSummary> summaries;
  // Descriptions of the runs that are excluded because the machine was too busy when they were
  // measured.
  std::vector<std::string> too_busy;
};

// Returns the `most` operations whose durations differ most between the two timelines. A duration
// begins when all predecessors of the operation have ended.
[[nodiscard]] std::vector<OpDifference> compare_operations(const Schedule& schedule,
                                                           const Timeline& measured,
                                                           const Timeline& simulated,
                                                           std::size_t most);

// Groups `runs` into cells, and computes the summaries. All runs must already have a simulated and
// a measured time.
[[nodiscard]] Validation validation_of(std::vector<ValidatedRun> runs);

// Returns Spearman's rank correlation of `a` and `b`; equal values share the mean of their ranks.
// Empty for fewer than two values, or if all values of `a` or all values of `b` are equal.
[[nodiscard]] std::optional<double> rank_correlation(const std::vector<double>& a,
                                                     const std::vector<double>& b);

}}  // namespace tutti::experiments
