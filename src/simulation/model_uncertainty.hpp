// Uncertainty of a fitted message model, and times that follow from it.
//
// A measured time differs from its prediction for two reasons. The fitted parameters are uncertain:
// this part is represented by kDraws models that are drawn from the distribution of the parameters
// and simulated in place of the fitted model. And the model leaves out what differs between jobs
// and between measurements: this part multiplies each time by two factors whose logarithms have
// normal distributions, one factor for each job and one for each measured time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/messages/message_model.hpp"
#include "src/simulation/case.hpp"

namespace tutti::inline simulation {

struct ModelUncertainty {
  std::vector<const MessageParameter*> parameters;
  // Covariance matrix of the natural logarithms of the parameters, row by row.
  std::vector<double> covariance;
  // Standard deviations of the natural logarithms of the factors that the model leaves out.
  double job_spread = 0;
  double point_spread = 0;
  // Number of jobs from whose times job_spread was estimated; 0 if it is kDefaultJobSpread.
  std::size_t jobs = 0;

  // Returns the standard deviation due to both factors.
  [[nodiscard]] double spread() const;

  friend bool operator==(const ModelUncertainty&, const ModelUncertainty&) = default;
};

// job_spread if the points of the fit do not have enough jobs. The source is in
// docs/explanation/uncertainty.md.
inline constexpr double kDefaultJobSpread = 0.2;

// Returns a lower triangular matrix L, row by row, with covariance = L L^T; empty if there is none,
// because the covariance is not a symmetric positive semidefinite matrix with `size` rows.
[[nodiscard]] std::vector<double> root_of(const std::vector<double>& covariance, std::size_t size);

// Number of models that are drawn. They are the same in every run: pairs on opposite sides of the
// fitted model. Before the covariance is applied, one of the values of each parameter lies in each
// sixteenth of a normal distribution (Latin hypercube sampling: McKay, Beckman and Conover,
// Technometrics 21, 1979). The pairs span kDraws / 2 directions. With more parameters than that,
// the standard deviation of a time over the draws is uncertain: with 17 parameters it is mostly
// within a factor of 0.6 to 1.4 of the true one.
inline constexpr std::size_t kDraws = 16;
using MessageModels = std::vector<std::shared_ptr<const MessageModel>>;
// Throws InvariantError if the covariance has no root.
[[nodiscard]] MessageModels drawn_models(const MessageModel& model,
                                         const ModelUncertainty& uncertainty);

// Returns the uncertainty of the machine's message model. Throws UserError, which says how to get
// one, if the machine has no message model, or if the model's file does not state its uncertainty.
[[nodiscard]] const ModelUncertainty& uncertainty_of(const Machine& machine);

// Returns the time of the case with each of the models, in seconds. The machine must have a message
// model. Makes the schedule only once, since it does not depend on the model. Throws
// UserError if the algorithm refuses the problem.
[[nodiscard]] std::vector<double> times_with(const MessageModels& models, const Case& what);

}  // namespace tutti::inline simulation
