// The parameters of a fit as a vector of their logarithms, and the directions in this space that
// points hardly distinguish.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

#include "src/experiments/fit/message_fit.hpp"

namespace tutti { inline namespace experiments {

// A parameter counts as having no effect if a change of its value by x % changes every predicted
// time by less than kNoSlope * x %.
inline constexpr double kNoSlope = 1e-3;
// Replaces a time of 0, which has no logarithm.
inline constexpr double kShortestTime = 1e-12;

inline Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// Returns exp(median of |residual|) - 1: the median factor between predicted and measured times,
// less 1.
[[nodiscard]] double median_error(const Eigen::VectorXd& residuals);

// Returns request.start with the parameters exp(place).
[[nodiscard]] MessageModel model_at(const FitRequest& request, const Eigen::VectorXd& place);
// Returns the logarithms of the parameters in request.start, and those of their upper bounds.
[[nodiscard]] Eigen::VectorXd start_place(const FitRequest& request);
[[nodiscard]] Eigen::VectorXd highest_place(const FitRequest& request);

// Throws UserError for a request without a prior if the points do not distinguish some parameters
// at all. `normal` is the normal matrix of the slopes, without the prior.
void check_alike(const FitRequest& request, const Eigen::MatrixXd& normal);
// Returns the sets of parameters that the points hardly distinguish. `covariance` may be empty.
[[nodiscard]] std::vector<AlikeParameters> alike_parameters(const FitRequest& request,
                                                            const Eigen::MatrixXd& normal,
                                                            const Eigen::MatrixXd& covariance);

// Updates the covariance matrix of estimates for one more point, the logarithm of whose time has
// these slopes and an error of kRelativeError (plan.hpp).
void add_point(Eigen::MatrixXd& covariance, const Eigen::VectorXd& slopes);

// Returns the bounds value / factor and value * factor, within the limits of the parameter.
[[nodiscard]] FittedFigure figure_around(const MessageParameter& parameter, double start,
                                         double value, double factor);

}}  // namespace tutti::experiments
