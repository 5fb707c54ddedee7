// Chooses benchmark runs that determine the parameters of a message model best for a given time on
// the machine: a D-optimal design (Fedorov, Theory of Optimal Experiments, 1972). A run narrows the
// bounds of the parameters through the slopes of its predicted time, which are taken at the start
// model; nothing is measured. If some bounds are still wide after the first runs, the next ones are
// those that narrow the widest bounds most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/fit/fitted_points.hpp"
#include "src/experiments/fit/message_fit.hpp"

namespace tutti { inline namespace experiments {

// Assumed time to start and end an MPI job.
inline constexpr double kStartUpS = 5;
// Assumed standard deviation of ln(measured / predicted): the error up to which a fit trusts a
// point.
inline constexpr double kRelativeError = 0.1;
// Before the runs, the logarithm of a parameter has a standard deviation of ln(kUnknownFactor).
inline constexpr double kUnknownFactor = 10;

struct PlanRequest {
  FitRequest fit;
  double most_s = 0;
  // The largest number of runs. If empty: 12, or twice the number of parameters if that is more, or
  // as many as determine all parameters.
  std::optional<std::size_t> most_runs;
};

struct PlannedRun {
  std::size_t candidate = 0;  // index into FittedPoints::places()
  double call_s = 0;          // predicted time of a call
  double run_s = 0;           // start-up, and all calls of the benchmark
  // The parameters whose bounds the run narrows most, given the runs before it. The second one is
  // left out if the run narrows it less than half as much as the first.
  std::vector<const MessageParameter*> tells;
};

struct LeftOutParameter {
  const MessageParameter* parameter = nullptr;
  std::string why;
};

struct FitPlan {
  // Number of candidates whose times are known: all, unless the work had to end early.
  std::size_t priced = 0;
  std::vector<PlannedRun> runs;   // the most informative one per second first
  double run_s = 0;               // of all runs
  bool stopped_by_count = false;  // true if there is time for another run that tells something
  // The start values of the parameters that are worth fitting, with the 95 % bounds that a fit to
  // the runs is expected to have.
  std::vector<FittedFigure> figures;
  std::vector<LeftOutParameter> left_out;  // parameters that not even all candidates determine
  std::vector<AlikeParameters> alike;      // parameters that the runs hardly distinguish
};

// Returns the size by which the OSU benchmark of the collective names the point.
[[nodiscard]] std::uint64_t benchmark_size(const BenchmarkPoint& point);
// Returns how many times the OSU benchmark calls the collective, with its defaults.
[[nodiscard]] std::size_t benchmark_calls(const BenchmarkPoint& point);

// Chooses from all points, whose measured times are ignored. Throws UserError if no candidate
// determines any parameter, or if the time or the count allows no more runs than there are
// parameters, which is too few for a fit.
[[nodiscard]] FitPlan plan_runs(const PlanRequest& request, const FittedPoints& candidates);

}}  // namespace tutti::experiments
