// A few parameters of a model of messages, fitted to measured points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/messages/message_model.hpp"
#include "src/experiments/fit/fitted_points.hpp"
#include "src/experiments/points/scores.hpp"

namespace tutti::inline experiments {

struct FitRequest {
  MessageModel start;
  std::vector<const MessageParameter*> parameters;
  double prior = 0;
};

// Throws UserError that names a parameter that cannot be fitted: one that there is not, that is
// named twice, that is 0 or without bound at the start, or that is a size at which something
// changes, of which small changes say nothing.
[[nodiscard]] FitRequest fit_request(const MessageModel& start,
                                     const std::vector<std::string>& names, double prior);

struct FittedFigure {
  const MessageParameter* parameter = nullptr;
  double start = 0;
  double fitted = 0;
  double low = 0;  // to high: with 95 % confidence
  double high = 0;
};

// Parameters that can change together and leave the times as they are.
struct AlikeParameters {
  std::vector<std::string> names;
  // How far the points tell them apart: of the scaled normal matrix the eigenvalue, 1 for
  // parameters that have nothing to do with each other.
  double eigenvalue = 0;
  double correlation = 0;  // of the estimates of the first two
};

struct MessageFitResult {
  MessageModel model;
  std::vector<FittedFigure> figures;
  std::vector<AlikeParameters> alike;
  std::size_t points = 0;
  std::size_t steps = 0;
  bool at_rest = false;
  double error_before = 0;  // median of how far times are off, as a factor less 1
  double error = 0;
};

// Fits to the logarithms of the times of `these` (of points.places()), in logarithms of the
// parameters. Throws UserError where the points cannot say: fewer than parameters, a parameter that
// none of them depends on, or several of which only a product or sum matters.
[[nodiscard]] MessageFitResult fit_messages(const FitRequest& request, const FittedPoints& points,
                                            const std::vector<std::size_t>& these,
                                            const std::string& doing);

// A fit that left jobs out, and how it does on these.
struct LeftOut {
  std::string job;
  bool without = false;  // fitted to all others, and scored on the job; else the other way round
  std::string refused;   // why there is no fit
  std::vector<double> fitted;  // a value for each parameter
  std::optional<Score> on;     // of the points that it was fitted to
  std::optional<Score> off;    // of the others
};
// Each of the jobs in turn. At least two.
[[nodiscard]] std::vector<LeftOut> leave_jobs_out(const FitRequest& request,
                                                  const std::vector<BenchmarkPoint>& all,
                                                  const FittedPoints& points);

}  // namespace tutti::inline experiments
