#include "src/experiments/fit/parameter_space.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/median.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Limits for the eigenvalues of the scaled normal matrix. An eigenvalue below kSingular is only an
// error of the finite differences. If an eigenvalue is below kAlike, the parameters that its
// eigenvector combines are called alike.
constexpr double kSingular = 1e-5;
constexpr double kAlike = 0.01;
// Texts for the user about an eigenvector name the parameters whose components are at least this
// large.
constexpr double kTakesPart = 0.3;

// Eigenvectors of the normal matrix after scaling its diagonal to ones, in rising order of their
// eigenvalues.
using Directions = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
Directions directions_of(const Eigen::MatrixXd& normal) {
  const Eigen::VectorXd scale = normal.diagonal().cwiseSqrt().cwiseInverse();
  return Directions(scale.asDiagonal() * normal * scale.asDiagonal());
}

std::vector<std::string> named(const FitRequest& request, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t j : which) {
    names.emplace_back(request.parameters[j]->name);
  }
  return names;
}

// Returns the indices of the parameters that mainly make up an eigenvector, largest component
// first.
std::vector<std::size_t> parts_of(const Eigen::VectorXd& direction) {
  const auto part = [&](std::size_t j) { return std::fabs(direction[index(j)]); };
  std::vector<std::size_t> parts;
  for (std::size_t j = 0; index(j) < direction.size(); ++j) {
    if (part(j) >= kTakesPart) {
      parts.push_back(j);
    }
  }
  std::ranges::stable_sort(parts, std::greater{}, part);
  return parts;
}

}  // namespace

double median_error(const Eigen::VectorXd& residuals) {
  const Eigen::VectorXd sizes = residuals.cwiseAbs();
  return std::exp(median({sizes.begin(), sizes.end()})) - 1;
}

MessageModel model_at(const FitRequest& request, const Eigen::VectorXd& place) {
  MessageModel model = request.start;
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    model.*request.parameters[j]->value = std::exp(place[index(j)]);
  }
  return model;
}

Eigen::VectorXd start_place(const FitRequest& request) {
  Eigen::VectorXd place(index(request.parameters.size()));
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    place[index(j)] = std::log(request.start.*request.parameters[j]->value);
  }
  return place;
}

Eigen::VectorXd highest_place(const FitRequest& request) {
  Eigen::VectorXd place(index(request.parameters.size()));
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    place[index(j)] = std::log(request.parameters[j]->most);
  }
  return place;
}

void check_alike(const FitRequest& request, const Eigen::MatrixXd& normal) {
  const Directions directions = directions_of(normal);
  if (directions.eigenvalues()[0] < kSingular && request.prior == 0) {
    throw UserError(
        fmt::format("$fit '{}': the points cannot tell these parameters apart: they can change "
                    "together without changing any time; fit one of them, or give $prior",
                    fmt::join(named(request, parts_of(directions.eigenvectors().col(0))), ",")));
  }
}

std::vector<AlikeParameters> alike_parameters(const FitRequest& request,
                                              const Eigen::MatrixXd& normal,
                                              const Eigen::MatrixXd& covariance) {
  std::vector<AlikeParameters> found;
  const Directions directions = directions_of(normal);
  for (Eigen::Index i = 0; i < directions.eigenvalues().size(); ++i) {
    const double value = directions.eigenvalues()[i];
    if (value >= kAlike) {
      break;
    }
    const std::vector<std::size_t> parts = parts_of(directions.eigenvectors().col(i));
    AlikeParameters alike;
    alike.names = named(request, parts);
    alike.eigenvalue = std::max(value, 0.0);
    if (parts.size() > 1 && covariance.size() > 0) {
      const Eigen::Index a = index(parts[0]);
      const Eigen::Index b = index(parts[1]);
      alike.correlation = covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
    }
    found.push_back(std::move(alike));
  }
  return found;
}

FittedFigure figure_around(const MessageParameter& parameter, double start, double value,
                           double factor) {
  const auto clamped = [&](double bound) {
    return std::clamp(bound, parameter.least, parameter.most);
  };
  return {&parameter, start, value, clamped(value / factor), clamped(value * factor)};
}

}}  // namespace tutti::experiments
