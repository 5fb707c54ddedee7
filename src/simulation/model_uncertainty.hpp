// Uncertainty of a fitted message model, and times that follow from it.
//
// A measured time differs from its prediction for two reasons. The fitted parameters are uncertain:
// this part follows from simulations with changed parameters. And the model leaves out what differs
// between jobs and between measurements: this part multiplies each time by two factors whose
// logarithms have normal distributions, one factor for all times of a cell, which differ only in
// the algorithm, and one for each time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/messages/message_model.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/fit_uncertainty.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti { inline namespace simulation {

struct ModelUncertainty : FitUncertainty<MessageParameter> {
  // Descriptions for documents.
  static constexpr std::string_view kJob =
      "Common to all times of a cell, which differ only in the algorithm.";
  static constexpr std::string_view kJobs =
      "Number of jobs from which `job` was estimated. 0 if `job` is the default.";

  friend bool operator==(const ModelUncertainty&, const ModelUncertainty&) = default;
};

using MessageModels = std::vector<std::shared_ptr<const MessageModel>>;
// The fitted model, and then one model for each of the independent directions into which the
// covariance divides the uncertainty: the columns of its root.
struct MovedModels {
  MessageModels models;
  // How many standard deviations each model lies from the fitted one, in its direction: kMove or
  // -kMove, to the side of longer times unless a parameter would exceed its limit there. 0 for the
  // fitted one.
  std::vector<double> by;
};
// Times mostly are sums of parts, each proportional to a time of the model or to the inverse of a
// rate. The central 80 % of such a sum, for parameters with lognormal distributions, follow best
// from changes by half a standard deviation to longer times. A whole one exaggerates the effect of
// a parameter that is hardly determined; one to shorter times understates it.
inline constexpr double kMove = 0.5;
// Throws InvariantError if the covariance has no root.
[[nodiscard]] MovedModels moved_models(const MessageModel& model,
                                       const ModelUncertainty& uncertainty);

// Returns the uncertainty of the machine's message model. Throws UserError, which says how to get
// one, if the machine has no message model, or if the model's file does not state its uncertainty.
[[nodiscard]] const ModelUncertainty& uncertainty_of(const Machine& machine);

// Returns the time of the case with each of the models, in seconds. The machine must have a message
// model. Makes the schedule only once, since it does not depend on the model, and runs models that
// differ only in parameters without effect on the case once. `first_s` is the time with the first
// model, if it is known. Throws UserError if the algorithm refuses the problem.
[[nodiscard]] std::vector<double> times_with(const MessageModels& models, const Case& what,
                                             std::optional<double> first_s = std::nullopt);

// Returns the time of the case with the models. `fitted_s` is the time with the fitted model, if it
// is known. Throws as times_with() does.
[[nodiscard]] UncertainTime uncertain_time(const MovedModels& moved, const Case& what,
                                           std::optional<double> fitted_s = std::nullopt);

}}  // namespace tutti::simulation
