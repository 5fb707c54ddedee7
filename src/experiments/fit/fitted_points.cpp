#include "src/experiments/fit/fitted_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "base/stopwatch.hpp"
#include "base/work_ticker.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/runner/work_estimate.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace experiments {

FittedPoints::FittedPoints(const std::vector<BenchmarkPoint>& points,
                           std::vector<std::size_t> places, PointMachines& machines,
                           std::optional<std::uint32_t> ranks_per_host, std::size_t jobs,
                           Messages& messages)
    : points_(points), places_(std::move(places)), jobs_(jobs), messages_(messages) {
  for (const std::size_t place : places_) {
    const BenchmarkPoint& point = points[place];
    problems_.push_back(problem_of(point, ranks_per_host));
    try {
      check(*point.algorithm, problems_.back());
    } catch (const UserError& error) {
      throw UserError(fmt::format("'{}', line {}: {}; leave this point out with $without '{}'",
                                  printable(point.file), point.line, error.what(),
                                  printable(point.cell)));
    }
    const Machine& machine = machines.of(point, problems_.back());
    if (!machine.files.messages) {
      throw UserError(
          fmt::format("$parameters '{}': must be a message model, with schema tutti-messages/1",
                      printable(machine.spec.parameters)));
    }
    if (machine.both_engines() || runs_on_simgrid_platform(machine)) {
      throw UserError(
          fmt::format("$platform '{}': a fit uses the engine flow only, which does not support "
                      "this platform; use a platform that 'tutti platform' writes",
                      printable(platform_name(machine))));
    }
    machines_.push_back(&machine);
  }
}

void FittedPoints::predict(
    std::span<const MessageModel> models, const std::vector<std::size_t>& these, First first,
    const std::string& doing,
    const std::function<void(std::size_t k, const std::vector<double>& times)>& take) const {
  MessageModels shared;
  for (const MessageModel& model : models) {
    shared.push_back(std::make_shared<const MessageModel>(model));
  }
  WorkEstimate estimate;
  for (std::size_t k = 0; k < these.size(); ++k) {
    estimate.add(k, case_of(these[k]));
  }
  Progress progress(doing, "point", these.size(), messages_);
  const auto work_of = [&](std::size_t k) {
    const double work = expected_work(case_of(these[k]));
    return first == First::largest ? work : -work;
  };
  const auto show = [&](std::size_t done) {
    if (progress.due()) {
      progress.show(done, estimate.done());
    }
  };
  for_each_parallel(these.size(), {jobs_, work_of, show}, [&](std::size_t k) {
    const Stopwatch watch;
    estimate.begin(k);
    take(k, times_with(shared, case_of(these[k])));
    estimate.end(k, watch.seconds());
  });
}

std::vector<std::vector<double>> FittedPoints::seconds(std::span<const MessageModel> models,
                                                       const std::vector<std::size_t>& these,
                                                       const std::string& doing) const {
  std::vector<std::vector<double>> found(models.size(), std::vector<double>(these.size()));
  predict(models, these, First::largest, doing,
          [&](std::size_t k, const std::vector<double>& times) {
            for (std::size_t m = 0; m < times.size(); ++m) {
              found[m][k] = times[m];
            }
          });
  return found;
}

std::vector<std::vector<double>> FittedPoints::known_seconds(std::span<const MessageModel> models,
                                                             const std::string& doing,
                                                             std::vector<char>& known) const {
  std::vector<std::vector<double>> found(models.size(), std::vector<double>(size()));
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), 0);
  known.assign(size(), 0);
  try {
    predict(models, all, First::smallest, doing,
            [&](std::size_t k, const std::vector<double>& times) {
              for (std::size_t m = 0; m < times.size(); ++m) {
                found[m][k] = times[m];
              }
              known[k] = 1;
            });
  } catch (const Cancellation&) {
    stop_requested = false;
  }
  return found;
}

}}  // namespace tutti::experiments
