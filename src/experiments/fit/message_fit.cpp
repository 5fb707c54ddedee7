#include "src/experiments/fit/message_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/experiments/fit/fit_spread.hpp"
#include "src/experiments/fit/parameter_space.hpp"
#include "src/experiments/fit/robust_fit.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::string with_unit(const MessageParameter& parameter, double value) {
  return fmt::format("{:.4g}{}{}", value, parameter.unit.empty() ? "" : " ", parameter.unit);
}

// Throws UnobservableParameter if there is a parameter on which no point depends.
void check_slopes(const FitRequest& request, const RobustFit& fit) {
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    if (fit.slopes.col(index(j)).lpNorm<Eigen::Infinity>() < kNoSlope) {
      throw UnobservableParameter(*request.parameters[j], std::exp(fit.place[index(j)]), fit.steps);
    }
  }
}

// Returns the fitted values with their 95 % confidence intervals, from Student's distribution for
// the logarithms.
std::vector<FittedFigure> figures_of(const FitRequest& request, const RobustFit& fit) {
  const double width = student_95(fit.freedom);
  std::vector<FittedFigure> figures;
  for (std::size_t j = 0; j < request.parameters.size(); ++j) {
    const MessageParameter& parameter = *request.parameters[j];
    const double off = width * std::sqrt(fit.covariance(index(j), index(j)));
    figures.push_back(figure_around(parameter, request.start.*parameter.value,
                                    std::exp(fit.place[index(j)]), std::exp(off)));
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

// Returns residuals of the points `these`: logarithms of predicted over measured times.
Residuals residuals_of(const FitRequest& request, const FittedPoints& points,
                       const std::vector<std::size_t>& these, const std::string& doing) {
  return [&request, &points, &these, doing,
          round = 0](const std::vector<Eigen::VectorXd>& places) mutable {
    ++round;
    std::vector<MessageModel> models;
    for (const Eigen::VectorXd& place : places) {
      models.push_back(model_at(request, place));
    }
    std::vector<Eigen::VectorXd> found;
    for (const std::vector<double>& seconds :
         points.seconds(models, these, fmt::format("{}, round {}", doing, round))) {
      Eigen::VectorXd& residual = found.emplace_back(index(these.size()));
      for (std::size_t k = 0; k < these.size(); ++k) {
        residual[index(k)] =
            std::log(std::max(seconds[k], kShortestTime) / points.point(these[k]).measured_s);
      }
    }
    return found;
  };
}

// Appends the residuals and slopes at the fitted place.
void append(RobustFit& fit, const Residuals& residuals, const RobustSetup& setup) {
  const Eigen::VectorXd more = residuals({fit.place}).front();
  const Eigen::MatrixXd slopes = slopes_at(residuals, fit.place, more, setup);
  const Eigen::Index fitted = fit.residuals.size();
  fit.residuals.conservativeResize(fitted + more.size());
  fit.residuals.tail(more.size()) = more;
  fit.slopes.conservativeResize(fitted + more.size(), Eigen::NoChange);
  fit.slopes.bottomRows(more.size()) = slopes;
}

FitSpread spread_of(RobustFit fit, const RobustSetup& setup, const FitRequest& request,
                    const FittedPoints& points, std::vector<std::size_t> these,
                    const std::vector<std::size_t>& spread_only, const std::string& doing) {
  const std::size_t fitted = these.size();
  if (!spread_only.empty()) {
    append(fit, residuals_of(request, points, spread_only, doing), setup);
    these.insert(these.end(), spread_only.begin(), spread_only.end());
  }
  const auto numbers = [&](auto&& name) {
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> found;
    for (const std::size_t i : these) {
      found.push_back(known.try_emplace(name(points.point(i)), known.size()).first->second);
    }
    return found;
  };
  const auto job_of = numbers([](const BenchmarkPoint& point) { return point.full_job(); });
  if (const std::size_t jobs = 1 + std::ranges::max(job_of);
      !spread_only.empty() && jobs < kFewestJobs) {
    throw UserError(
        fmt::format("$spread_only: all points together are of {}; the spread between jobs needs "
                    "at least {}, named in the column job",
                    counted(jobs, "job"), kFewestJobs));
  }
  return fit_spread(fit, fitted, setup, job_of,
                    numbers([](const BenchmarkPoint& point) { return point.cell; }));
}

}  // namespace

UnobservableParameter::UnobservableParameter(const MessageParameter& parameter, double value,
                                             std::size_t steps)
    : UserError(steps > 0
                    ? fmt::format("$fit '{}': the fit moves this parameter to {}, where no point "
                                  "depends on it; leave the parameter out, and take its value from "
                                  "another source",
                                  parameter.name, with_unit(parameter, value))
                    : fmt::format("$fit '{}': no point depends on this parameter at {}; leave it "
                                  "out, or add points of a size and placement where it matters",
                                  parameter.name, with_unit(parameter, value))),
      parameter_(&parameter),
      value_(value),
      steps_(steps) {}

KeptParameter keep_parameter(FitRequest& request, const UnobservableParameter& unobservable) {
  const MessageParameter& parameter = unobservable.parameter();
  std::erase(request.parameters, &parameter);
  const bool moved = unobservable.steps() > 0;
  std::string why = moved ? fmt::format("the fit moved it to {}, where no point depends on it",
                                        with_unit(parameter, unobservable.value()))
                          : "no point depends on it";
  const double cache_bytes = request.start.cache_bytes;
  if (parameter.name.find("memory") != std::string_view::npos && std::isfinite(cache_bytes)) {
    why += fmt::format(
        "; is cache_bytes ({}) too {}? {}", human_bytes(static_cast<std::uint64_t>(cache_bytes)),
        moved ? "small" : "large",
        moved ? "the larger points may be in the caches" : "no point is larger than the caches");
  }
  return {&parameter, request.start.*parameter.value, std::move(why)};
}

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
      throw UserError(fmt::format("$fit '{}': {}", printable(name), accepted_words(name, all)));
    }
    if (std::find(request.parameters.begin(), request.parameters.end(), parameter) !=
        request.parameters.end()) {
      throw UserError(fmt::format("$fit '{}': appears twice; give it once", name));
    }
    if (!changes_gradually(*parameter)) {
      throw UserError(fmt::format(
          "$fit '{}': this is a {}, and a small change of it changes no time; set it in "
          "$parameters",
          name, parameter->unit == "B" ? "size threshold" : "count"));
    }
    const double value = start.*parameter->value;
    if (value == 0 || !std::isfinite(value)) {
      throw UserError(fmt::format(
          "$fit '{}': this parameter is {} in $parameters, and a fit multiplies that value by a "
          "factor; give a finite value above 0 there (unit: {})",
          name, value == 0 ? "0" : "infinite", parameter->unit.empty() ? "none" : parameter->unit));
    }
    request.parameters.push_back(parameter);
  }
  return request;
}

MessageFitResult fit_messages(const FitRequest& request, const FittedPoints& points,
                              const std::vector<std::size_t>& these, const std::string& doing,
                              const std::vector<std::size_t>& spread_only) {
  const std::size_t unknowns = request.parameters.size();
  if (these.size() <= unknowns) {
    throw UserError(fmt::format(
        "$fit: {} cannot determine {}; give at least {} points, or fit fewer parameters",
        counted(these.size(), "point"), counted(unknowns, "parameter"), unknowns + 1));
  }
  RobustSetup setup;
  setup.prior = request.prior;
  setup.least.resize(index(unknowns));
  setup.most = highest_place(request);
  for (std::size_t j = 0; j < unknowns; ++j) {
    const MessageParameter& parameter = *request.parameters[j];
    setup.least[index(j)] = parameter.least > 0 ? std::log(parameter.least) : -1e3;
  }
  MessageFitResult result;
  setup.look = [&](const RobustFit& there) {
    check_slopes(request, there);
    if (there.steps == 0) {
      check_alike(request, there.normal);
      result.error_before = median_error(there.residuals);
    }
  };
  const RobustFit fit =
      robust_fit(residuals_of(request, points, these, doing), start_place(request), setup);
  check_alike(request, fit.normal);
  result.model = model_at(request, fit.place);
  result.points = these.size();
  result.steps = fit.steps;
  result.at_rest = fit.at_rest;
  result.stopped = fit.stopped;
  result.error = median_error(fit.residuals);
  result.alike = alike_parameters(request, fit.normal, fit.covariance);
  if (fit.covariance.size() == 0) {
    throw UserError(
        "$fit: the points cannot tell the parameters apart; fit fewer of them, or give $prior");
  }
  result.figures = figures_of(request, fit);
  result.uncertainty =
      uncertainty_of_fit(request, fit,
                         spread_of(fit, setup, request, points, these,
                                   fit.stopped ? std::vector<std::size_t>() : spread_only, doing));
  return result;
}

}}  // namespace tutti::experiments
