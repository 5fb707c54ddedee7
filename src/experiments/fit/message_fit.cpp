#include "src/experiments/fit/message_fit.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/median.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/experiments/fit/fit_spread.hpp"
#include "src/experiments/fit/robust_fit.hpp"

namespace tutti::inline experiments {

namespace {

// A parameter counts as having no effect if a change of its value by x % changes every predicted
// time by less than kNoSlope * x %.
constexpr double kNoSlope = 1e-3;
// Limits for the eigenvalues of the scaled normal matrix. An eigenvalue below kSingular is only an
// error of the finite differences. If an eigenvalue is below kAlike, the parameters that its
// eigenvector combines are called alike.
constexpr double kSingular = 1e-5;
constexpr double kAlike = 0.01;
// Texts for the user about an eigenvector name the parameters whose components are at least this
// large.
constexpr double kTakesPart = 0.3;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

double median_error(const Eigen::VectorXd& residuals) {
  const Eigen::VectorXd sizes = residuals.cwiseAbs();
  return std::exp(median({sizes.begin(), sizes.end()})) - 1;
}

// Eigenvectors of the normal matrix after scaling its diagonal to ones, in rising order of their
// eigenvalues.
using Directions = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
Directions directions_of(const Eigen::MatrixXd& normal) {
  const Eigen::VectorXd scale = normal.diagonal().cwiseSqrt().cwiseInverse();
  return Directions(scale.asDiagonal() * normal * scale.asDiagonal());
}

MessageModel model_at(const FitRequest& request, const Eigen::VectorXd& place) {
  MessageModel model = request.start;
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    model.*request.parameters[j]->value = std::exp(place[index(j)]);
  }
  return model;
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

// Throws UserError if there is a parameter on which no point depends.
void check_slopes(const FitRequest& request, const RobustFit& fit) {
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    if (fit.slopes.col(index(j)).lpNorm<Eigen::Infinity>() < kNoSlope) {
      const MessageParameter& parameter = *request.parameters[j];
      const double value = std::exp(fit.place[index(j)]);
      if (fit.steps > 0) {
        throw UserError(fmt::format(
            "--fit '{}': the fit moves this parameter to {:.4g}{}{}, where no point depends on "
            "it; leave the parameter out, and take its value from another source",
            parameter.name, value, parameter.unit.empty() ? "" : " ", parameter.unit));
      }
      throw UserError(fmt::format(
          "--fit '{}': no point depends on this parameter at {:.4g}{}{}; leave it out, or add "
          "points of a size and placement where it matters",
          parameter.name, value, parameter.unit.empty() ? "" : " ", parameter.unit));
    }
  }
}

// Throws UserError if there is no prior, and the effects of some parameters on the points cannot be
// told apart at all.
void check_alike(const FitRequest& request, const RobustFit& fit) {
  const Directions directions = directions_of(fit.normal);
  if (directions.eigenvalues()[0] < kSingular && request.prior == 0) {
    throw UserError(
        fmt::format("--fit '{}': the points cannot tell these parameters apart: they can change "
                    "together without changing any time; fit one of them, or give --prior",
                    fmt::join(named(request, parts_of(directions.eigenvectors().col(0))), ",")));
  }
}

std::vector<AlikeParameters> alike_parameters(const FitRequest& request, const RobustFit& fit) {
  std::vector<AlikeParameters> found;
  const Directions directions = directions_of(fit.normal);
  for (Eigen::Index i = 0; i < directions.eigenvalues().size(); ++i) {
    const double value = directions.eigenvalues()[i];
    if (value >= kAlike) {
      break;
    }
    const std::vector<std::size_t> parts = parts_of(directions.eigenvectors().col(i));
    AlikeParameters alike;
    alike.names = named(request, parts);
    alike.eigenvalue = std::max(value, 0.0);
    if (parts.size() > 1 && fit.covariance.size() > 0) {
      const Eigen::Index a = index(parts[0]);
      const Eigen::Index b = index(parts[1]);
      alike.correlation =
          fit.covariance(a, b) / std::sqrt(fit.covariance(a, a) * fit.covariance(b, b));
    }
    found.push_back(std::move(alike));
  }
  return found;
}

double clamped(double value, const MessageParameter& parameter) {
  return std::clamp(value, parameter.least, parameter.most);
}

// Returns the fitted values with their 95 % confidence intervals, from Student's distribution for
// the logarithms.
std::vector<FittedFigure> figures_of(const FitRequest& request, const RobustFit& fit) {
  const double width = student_95(fit.freedom);
  std::vector<FittedFigure> figures;
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    const MessageParameter& parameter = *request.parameters[j];
    const double at = fit.place[index(j)];
    const double off = width * std::sqrt(fit.covariance(index(j), index(j)));
    figures.push_back({&parameter, request.start.*parameter.value, std::exp(at),
                       clamped(std::exp(at - off), parameter),
                       clamped(std::exp(at + off), parameter)});
  }
  return figures;
}

ModelUncertainty uncertainty_of_fit(const FitRequest& request, const RobustFit& fit,
                                    const FitSpread& spread) {
  ModelUncertainty found;
  found.parameters = request.parameters;
  // A symmetric matrix: the order of its entries by columns is that by rows.
  found.covariance.assign(fit.covariance.data(), fit.covariance.data() + fit.covariance.size());
  found.job_spread = spread.job;
  found.point_spread = spread.point;
  found.jobs = spread.jobs;
  return found;
}

// Returns the number of each point's job, counted from 0.
std::vector<std::size_t> jobs_of(const FittedPoints& points,
                                 const std::vector<std::size_t>& these) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> found;
  for (const std::size_t i : these) {
    found.push_back(numbers.try_emplace(points.point(i).full_job(), numbers.size()).first->second);
  }
  return found;
}

}  // namespace

FitRequest fit_request(const MessageModel& start, const std::vector<std::string>& names,
                       double prior) {
  FitRequest request{start, {}, prior};
  std::vector<std::string> all;
  for (const MessageParameter& each : message_parameters()) {
    all.emplace_back(each.name);
  }
  for (const std::string& name : names) {
    const MessageParameter* const parameter = find_message_parameter(name);
    if (parameter == nullptr) {
      throw UserError(fmt::format("--fit '{}': {}", printable(name), accepted_words(name, all)));
    }
    if (std::find(request.parameters.begin(), request.parameters.end(), parameter) !=
        request.parameters.end()) {
      throw UserError(fmt::format("--fit '{}': appears twice; give it once", name));
    }
    if (parameter->unit == "B") {
      throw UserError(
          fmt::format("--fit '{}': this is a size threshold, and a small change of it changes no "
                      "time; set it in --parameters",
                      name));
    }
    const double value = start.*parameter->value;
    if (value == 0 || !std::isfinite(value)) {
      throw UserError(fmt::format(
          "--fit '{}': this parameter is {} in --parameters, and a fit multiplies that value by a "
          "factor; give a finite value above 0 there (unit: {})",
          name, value == 0 ? "0" : "infinite", parameter->unit.empty() ? "none" : parameter->unit));
    }
    request.parameters.push_back(parameter);
  }
  return request;
}

MessageFitResult fit_messages(const FitRequest& request, const FittedPoints& points,
                              const std::vector<std::size_t>& these, const std::string& doing) {
  const std::size_t unknowns = request.parameters.size();
  if (these.size() <= unknowns) {
    throw UserError(fmt::format(
        "--fit: {} cannot determine {}; give at least {} points, or fit fewer parameters",
        counted(these.size(), "point"), counted(unknowns, "parameter"), unknowns + 1));
  }
  RobustSetup setup;
  setup.prior = request.prior;
  Eigen::VectorXd start(index(unknowns));
  setup.least.resize(index(unknowns));
  setup.most.resize(index(unknowns));
  for (std::size_t j = 0; j < unknowns; ++j) {
    const MessageParameter& parameter = *request.parameters[j];
    start[index(j)] = std::log(request.start.*parameter.value);
    setup.least[index(j)] = parameter.least > 0 ? std::log(parameter.least) : -1e3;
    setup.most[index(j)] = std::log(parameter.most);
  }
  const Residuals residuals = [&](const std::vector<Eigen::VectorXd>& places) {
    std::vector<MessageModel> models;
    for (const Eigen::VectorXd& place : places) {
      models.push_back(model_at(request, place));
    }
    std::vector<Eigen::VectorXd> found;
    for (const std::vector<double>& seconds : points.seconds(models, these, doing)) {
      Eigen::VectorXd& residual = found.emplace_back(index(these.size()));
      for (std::size_t k = 0; k < these.size(); ++k) {
        constexpr double kShort = 1e-12;  // replaces a time of 0, which has no logarithm
        residual[index(k)] =
            std::log(std::max(seconds[k], kShort) / points.point(these[k]).measured_s);
      }
    }
    return found;
  };
  MessageFitResult result;
  setup.look = [&](const RobustFit& there) {
    check_slopes(request, there);
    if (there.steps == 0) {
      check_alike(request, there);
      result.error_before = median_error(there.residuals);
    }
  };
  const RobustFit fit = robust_fit(residuals, start, setup);
  check_alike(request, fit);
  result.model = model_at(request, fit.place);
  result.points = these.size();
  result.steps = fit.steps;
  result.at_rest = fit.at_rest;
  result.error = median_error(fit.residuals);
  result.alike = alike_parameters(request, fit);
  if (fit.covariance.size() == 0) {
    throw UserError(
        "--fit: the points cannot tell the parameters apart; fit fewer of them, or give --prior");
  }
  result.figures = figures_of(request, fit);
  result.uncertainty =
      uncertainty_of_fit(request, fit, fit_spread(fit, setup, jobs_of(points, these)));
  return result;
}

}  // namespace tutti::inline experiments
