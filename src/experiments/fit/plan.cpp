#include "src/experiments/fit/plan.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/experiments/fit/parameter_space.hpp"
#include "src/experiments/fit/robust_fit.hpp"
#include "src/formats/call_size.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kFewRuns = 12;

double square_of(double x) { return x * x; }

// Predicted times of all candidates, and the derivatives of their logarithms with respect to those
// of the parameters: one row per candidate, one column per parameter. A row is 0 if the time jumps
// or bends near the start model, where derivatives say little about the times that will be
// measured.
struct Slopes {
  std::vector<double> call_s;
  MatrixXd of;
  std::vector<char> known;  // false for candidates whose times are unknown; their rows are 0
};

// Steps of the logarithms, for finite differences on both sides. They are larger than in a fit, so
// that jumps of the times, when messages change their order, do not look like steep slopes.
constexpr double kStep = 0.05;
constexpr double kLargestBend = 0.25;  // largest difference between the derivatives of both sides

Slopes slopes_of(const FitRequest& request, const FittedPoints& candidates) {
  const VectorXd start = start_place(request);
  const VectorXd most = highest_place(request);
  std::vector<MessageModel> models{request.start};
  for (Eigen::Index j = 0; j < start.size(); ++j) {
    for (const double step : {-kStep, start[j] + kStep > most[j] ? -kStep / 2 : kStep}) {
      VectorXd place = start;
      place[j] += step;
      models.push_back(model_at(request, place));
    }
  }
  std::vector<char> known;
  const auto seconds = candidates.known_seconds(models, "planning", known);
  Slopes slopes{seconds.front(), MatrixXd::Zero(index(known.size()), start.size()), known};
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (known[k] == 0) {
      continue;
    }
    const auto slope_to = [&](std::size_t m, std::size_t j) {
      const double step = std::log(models[m].*request.parameters[j]->value) - start[index(j)];
      return std::log(std::max(seconds[m][k], kShortestTime) /
                      std::max(seconds[0][k], kShortestTime)) /
             step;
    };
    VectorXd row = VectorXd::Zero(start.size());
    bool straight = true;
    for (std::size_t j = 0; j < request.parameters.size(); ++j) {
      const double below = slope_to(2 * j + 1, j);
      const double above = slope_to(2 * j + 2, j);
      straight = straight && std::fabs(above - below) < kLargestBend;
      const double slope = (below + above) / 2;
      row[index(j)] = std::fabs(slope) < kNoSlope ? 0 : slope;
    }
    if (straight) {
      slopes.of.row(index(k)) = row;
    }
  }
  return slopes;
}

// Covariance matrix of the estimates before any run.
MatrixXd covariance_before(const FitRequest& request) {
  const double certainty = 1 / square_of(std::log(kUnknownFactor)) +
                           square_of(request.prior) / square_of(kRelativeError);
  const Eigen::Index size = index(request.parameters.size());
  return MatrixXd::Identity(size, size) / certainty;
}

// Returns the parameter with the widest bounds, if they are too wide; `freedom`: number of points
// less that of parameters.
std::optional<Eigen::Index> hardly_determined(const MatrixXd& covariance, std::size_t freedom) {
  Eigen::Index widest = 0;
  const double variance = covariance.diagonal().maxCoeff(&widest);
  const bool wide =
      2 * student_95(static_cast<double>(freedom)) * std::sqrt(variance) > std::log(kWideBounds);
  return wide ? std::optional(widest) : std::nullopt;
}

// Returns the logarithm of the factor by which a point narrows the estimates: their determinant, or
// the variance of the parameter `only`.
double log_gain(const MatrixXd& covariance, const VectorXd& slopes,
                std::optional<Eigen::Index> only) {
  const VectorXd moved = covariance * slopes;
  const double total = square_of(kRelativeError) + slopes.dot(moved);
  return only ? -std::log1p(-square_of(moved[*only]) / (total * covariance(*only, *only)))
              : std::log(total / square_of(kRelativeError));
}

void remove_parameter(FitRequest& request, MatrixXd& slopes, Eigen::Index at) {
  request.parameters.erase(request.parameters.begin() + at);
  const Eigen::Index after = slopes.cols() - at - 1;
  slopes.middleCols(at, after) = slopes.rightCols(after).eval();
  slopes.conservativeResize(Eigen::NoChange, slopes.cols() - 1);
}

std::string why_no_effect(const FitRequest& request, const MessageParameter& parameter,
                          const FittedPoints& candidates) {
  bool shared = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    shared = shared || candidates.ranks_per_host(i) > 1;
  }
  if (parameter.name.starts_with("node_") && !shared) {
    return "every candidate has one rank per host; give $ranks_per_host, or points with several";
  }
  return fmt::format("no candidate's time depends on it at {:.4g}{}{}",
                     request.start.*parameter.value, parameter.unit.empty() ? "" : " ",
                     parameter.unit);
}

std::string why_not_alone(const FitRequest& request, const MessageParameter& parameter,
                          const MatrixXd& normal, const MatrixXd& covariance) {
  for (const AlikeParameters& alike : alike_parameters(request, normal, covariance)) {
    std::vector<std::string> others = alike.names;
    if (std::erase(others, parameter.name) > 0 && !others.empty()) {
      return fmt::format("the candidates cannot tell it from {}", fmt::join(others, " and "));
    }
  }
  return "it changes the candidates' times too little";
}

// Removes the parameters that all candidates together do not determine, one at a time, because
// without one of them the others may be determined.
std::vector<LeftOutParameter> remove_undetermined(FitRequest& request, MatrixXd& slopes,
                                                  const FittedPoints& candidates) {
  std::vector<LeftOutParameter> left_out;
  for (Eigen::Index j = slopes.cols(); j-- > 0;) {
    if (slopes.col(j).isZero(0)) {
      const MessageParameter& parameter = *request.parameters[static_cast<std::size_t>(j)];
      left_out.push_back({&parameter, why_no_effect(request, parameter, candidates)});
      remove_parameter(request, slopes, j);
    }
  }
  std::ranges::reverse(left_out);
  while (slopes.cols() > 0) {
    MatrixXd covariance = covariance_before(request);
    for (Eigen::Index k = 0; k < slopes.rows(); ++k) {
      add_point(covariance, slopes.row(k));
    }
    const std::size_t points = candidates.size();
    const std::size_t freedom =
        points > request.parameters.size() ? points - request.parameters.size() : std::size_t{1};
    const std::optional<Eigen::Index> widest = hardly_determined(covariance, freedom);
    if (!widest) {
      break;
    }
    const MessageParameter& parameter = *request.parameters[static_cast<std::size_t>(*widest)];
    left_out.push_back(
        {&parameter, why_not_alone(request, parameter, slopes.transpose() * slopes, covariance)});
    remove_parameter(request, slopes, *widest);
  }
  return left_out;
}

// Returns the parameters that the step from one covariance matrix to the next narrows most.
std::vector<const MessageParameter*> narrowed(const FitRequest& request, const MatrixXd& before,
                                              const MatrixXd& after) {
  const VectorXd gains = (before.diagonal().array() / after.diagonal().array()).log();
  std::vector<std::size_t> order(request.parameters.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return gains[index(j)]; });
  std::vector<const MessageParameter*> tells;
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 2); ++k) {
    if (2 * gains[index(order[k])] >= gains[index(order[0])]) {
      tells.push_back(request.parameters[order[k]]);
    }
  }
  return tells;
}

void check_enough(const FitPlan& plan, const PlanRequest& request, std::size_t parameters) {
  if (plan.runs.size() > parameters) {
    return;
  }
  throw UserError(fmt::format(
      "$plan: {} cannot determine {}; {}", counted(plan.runs.size(), "run"),
      counted(parameters, "parameter"),
      plan.stopped_by_count
          ? fmt::format("give $count {} or more, or fit fewer parameters", parameters + 1)
          : fmt::format("give more than {:g} s, more candidates, or fewer parameters",
                        request.most_s)));
}

}  // namespace

void add_point(MatrixXd& covariance, const VectorXd& slopes) {
  const VectorXd moved = covariance * slopes;
  covariance -= moved * moved.transpose() / (square_of(kRelativeError) + slopes.dot(moved));
}

std::size_t benchmark_calls(const BenchmarkPoint& point) {
  // Iterations and warm-up calls of collectives in util/osu_util.h of the OSU micro-benchmarks.
  constexpr std::uint64_t kLargest = 8192;
  constexpr std::size_t kSmallCalls = 1000 + 100;
  constexpr std::size_t kLargeCalls = 100 + 10;
  return benchmark_size(point) <= kLargest ? kSmallCalls : kLargeCalls;
}

std::uint64_t benchmark_size(const BenchmarkPoint& point) {
  return benchmarks_count_blocks(point.collective) ? point.bytes / point.ranks : point.bytes;
}

FitPlan plan_runs(const PlanRequest& plan_request, const FittedPoints& candidates) {
  FitRequest request = plan_request.fit;
  Slopes slopes = slopes_of(request, candidates);
  FitPlan plan;
  plan.priced = static_cast<std::size_t>(std::ranges::count(slopes.known, char{1}));
  plan.left_out = remove_undetermined(request, slopes.of, candidates);
  const std::size_t parameters = request.parameters.size();
  if (parameters == 0) {
    throw UserError(fmt::format("$plan: no candidate determines any parameter; {}: {}",
                                plan.left_out.front().parameter->name, plan.left_out.front().why));
  }
  const std::size_t first_runs = std::max(kFewRuns, 2 * parameters);
  std::vector<bool> used(candidates.size(), false);
  MatrixXd covariance = covariance_before(request);
  MatrixXd normal = MatrixXd::Zero(covariance.rows(), covariance.cols());
  while (true) {
    const bool first = plan.runs.size() < first_runs;
    const std::optional<Eigen::Index> widest =
        first ? std::nullopt : hardly_determined(covariance, plan.runs.size() - parameters);
    double best = 0;
    PlannedRun next;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double run_s =
          kStartUpS + slopes.call_s[i] * static_cast<double>(benchmark_calls(candidates.point(i)));
      if (slopes.known[i] == 0 || used[i] || plan.run_s + run_s > plan_request.most_s) {
        continue;
      }
      const VectorXd slope = slopes.of.row(index(i));
      const double gain = log_gain(covariance, slope, widest) / run_s;
      if (gain > best) {
        best = gain;
        next = {i, slopes.call_s[i], run_s, {}};
      }
    }
    plan.stopped_by_count =
        best > 0 &&
        (plan_request.most_runs ? plan.runs.size() == *plan_request.most_runs : !first && !widest);
    if (best == 0 || plan.stopped_by_count) {
      break;
    }
    const VectorXd slope = slopes.of.row(index(next.candidate));
    const MatrixXd before = covariance;
    add_point(covariance, slope);
    normal += slope * slope.transpose();
    next.tells = narrowed(request, before, covariance);
    used[next.candidate] = true;
    plan.run_s += next.run_s;
    plan.runs.push_back(std::move(next));
  }
  check_enough(plan, plan_request, parameters);
  const double width = student_95(static_cast<double>(plan.runs.size() - parameters));
  for (std::size_t j = 0; j < parameters; ++j) {
    const MessageParameter& parameter = *request.parameters[j];
    const double start = request.start.*parameter.value;
    plan.figures.push_back(figure_around(
        parameter, start, start, std::exp(width * std::sqrt(covariance(index(j), index(j))))));
  }
  plan.alike = alike_parameters(request, normal, covariance);
  return plan;
}

}}  // namespace tutti::experiments
