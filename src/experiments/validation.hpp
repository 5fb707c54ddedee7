// Simulated beside measured: how far apart, and whether the simulator picks what really is fastest.
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
  double measured_s = 0;  // from when it could start to its end; of messages at the receiver
  double simulated_s = 0;
};

struct ValidatedRun {
  const MeasuredRun* measured = nullptr;
  double simulated_s = 0;
  std::vector<OpDifference> differences;  // the largest first; where a timeline was measured

  [[nodiscard]] double error() const { return simulated_s / measured->median_s - 1; }
};

// All algorithms of one collective at one number of ranks, one size and root. Those of equal
// simulated times count as one choice, with the median of their measured times.
struct ValidatedCell {
  std::vector<std::size_t> runs;
  std::size_t picked = 0;   // of `runs`' values: the least simulated time, of equals the first
  std::size_t fastest = 0;  // of the really fastest choice, the least measured time
  double loss = 0;          // measured: the picked choice over the fastest, less 1

  // Within 5 %, or within what the measurements leave open.
  bool right = false;
};

// What all runs of one collective and number of ranks have come to.
struct ValidationSummary {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 0;
  bool oversubscribed = false;
  std::size_t runs = 0;
  double median_error = 0;  // of the error's size
  double worst_error = 0;
  double median_error_from_4k = 0;  // of runs of 4 KiB and more
  std::size_t runs_from_4k = 0;
  std::optional<double> rank_correlation;  // Spearman's, mean over cells of 2 algorithms and more
  std::size_t cells = 0;                   // of 2 algorithms and more
  std::size_t right = 0;
};

struct Validation {
  std::vector<ValidatedRun> runs;
  std::vector<ValidatedCell> cells;
  std::vector<ValidationSummary> summaries;
  // Runs of which nothing is said, because the machine was too busy when they were measured.
  std::vector<std::string> too_busy;
};

// Operations that end at different times after what they waited for; at most `most`.
[[nodiscard]] std::vector<OpDifference> compare_operations(const Schedule& schedule,
                                                           const Timeline& measured,
                                                           const Timeline& simulated,
                                                           std::size_t most);

// `runs` have their times; what follows from them is found here.
[[nodiscard]] Validation validation_of(std::vector<ValidatedRun> runs);

// Spearman's rank correlation, equal values sharing the mean of their ranks; nothing for fewer than
// two values, or where all are equal on one side.
[[nodiscard]] std::optional<double> rank_correlation(const std::vector<double>& a,
                                                     const std::vector<double>& b);

}  // namespace tutti::inline experiments
