// Fits a few parameters of a message model to measured points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/messages/message_model.hpp"
#include "src/experiments/fit/fitted_points.hpp"
#include "src/experiments/points/scores.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti { inline namespace experiments {

// True if times change gradually with the parameter. Thresholds in bytes and counts change times in
// steps.
[[nodiscard]] inline bool changes_gradually(const MessageParameter& parameter) {
  return parameter.unit != "B" && parameter.unit != "count";
}

struct FitRequest {
  MessageModel start;
  std::vector<const MessageParameter*> parameters;
  double prior = 0;
};

// No point depends on a parameter: at its start value (`steps` is 0), or at the value to which the
// fit moved it.
class UnobservableParameter : public UserError {
 public:
  UnobservableParameter(const MessageParameter& parameter, double value, std::size_t steps);
  [[nodiscard]] const MessageParameter& parameter() const { return *parameter_; }
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  const MessageParameter* parameter_;
  double value_;
  std::size_t steps_;
};

// A parameter that is not fitted, although the user asked for it.
struct KeptParameter {
  const MessageParameter* parameter = nullptr;
  double value = 0;  // its start value
  std::string why;
};
// Removes the parameter from the request, and returns it with the reason.
[[nodiscard]] KeptParameter keep_parameter(FitRequest& request,
                                           const UnobservableParameter& unobservable);

// Throws UserError, which names the parameter, if a parameter cannot be fitted: it is unknown, it
// appears twice, its value in `start` is 0 or infinite, or it is a size threshold or a count (a
// small change of these changes no time).
[[nodiscard]] FitRequest fit_request(const MessageModel& start,
                                     const std::vector<std::string>& names, double prior);

// A parameter is hardly determined if its upper bound is more than this many times its lower one.
inline constexpr double kWideBounds = 10;

struct FittedFigure {
  const MessageParameter* parameter = nullptr;
  double start = 0;
  double fitted = 0;
  double low = 0;  // low to high: the 95 % confidence interval
  double high = 0;
};

// Parameters that can change together without changing the times noticeably.
struct AlikeParameters {
  std::vector<std::string> names;
  // Shows how well the effects of the parameters on the points can be told apart: an eigenvalue of
  // the scaled normal matrix. The eigenvalue is 1 for independent parameters and near 0 for alike
  // ones.
  double eigenvalue = 0;
  double correlation = 0;  // between the estimates of the first two parameters
};

struct MessageFitResult {
  MessageModel model;
  std::vector<FittedFigure> figures;
  std::vector<AlikeParameters> alike;
  std::size_t points = 0;
  std::size_t steps = 0;
  bool at_rest = false;
  bool stopped = false;  // true if the work had to end early: the model is that of the last step
  // exp(median of |ln(predicted / measured)|) - 1 before the fit. `error` is the same quantity
  // after the fit.
  double error_before = 0;
  double error = 0;
  ModelUncertainty uncertainty;
};

// Fits the model to the points `these`, which are indices into points.places(): changes the
// logarithms of the parameters, so that the logarithms of the predicted times approach those of the
// measured times. Throws UserError if the points do not determine the parameters: there are too few
// points, no point depends on a parameter (UnobservableParameter), or only a product or sum of
// several parameters matters. The points `spread_only` count only for the spread of jobs and points
// in the uncertainty.
[[nodiscard]] MessageFitResult fit_messages(const FitRequest& request, const FittedPoints& points,
                                            const std::vector<std::size_t>& these,
                                            const std::string& doing,
                                            const std::vector<std::size_t>& spread_only = {});

// A fit to some of the jobs, with a score on these jobs and a score on the other jobs.
struct SplitFit {
  std::string job;
  bool without = false;        // true: fitted to all jobs but `job`; false: fitted to `job` alone
  std::string refused;         // why there is no fit; "" if there is one
  std::vector<double> fitted;  // one value per parameter
  std::optional<Score> on;     // score on the points that the model was fitted to
  std::optional<Score> off;    // score on the other points
};
// Makes two fits to the points `these` for each of their jobs: one to this job alone, and one to
// all other jobs. If there are only two jobs, makes only the first of these fits. Throws UserError
// for fewer than two jobs.
[[nodiscard]] std::vector<SplitFit> leave_jobs_out(const FitRequest& request,
                                                   const std::vector<BenchmarkPoint>& all,
                                                   const FittedPoints& points,
                                                   const std::vector<std::size_t>& these);

}}  // namespace tutti::experiments
