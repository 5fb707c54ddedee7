#include "src/experiments/fit/fitted_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti::inline experiments {

FittedPoints::FittedPoints(const std::vector<BenchmarkPoint>& points,
                           std::vector<std::size_t> places, PointMachines& machines,
                           std::optional<std::uint32_t> ranks_per_host, std::size_t jobs,
                           std::ostream& err)
    : points_(points), places_(std::move(places)), jobs_(jobs), err_(err) {
  for (const std::size_t place : places_) {
    const BenchmarkPoint& point = points[place];
    problems_.push_back(problem_of(point, ranks_per_host));
    try {
      check(*point.algorithm, problems_.back());
    } catch (const UserError& error) {
      throw UserError(fmt::format("'{}', line {}: {}; leave this point out with --without '{}'",
                                  printable(point.file), point.line, error.what(),
                                  printable(point.cell)));
    }
    const Machine& machine = machines.of(point, problems_.back());
    if (!machine.files.messages) {
      throw UserError(
          fmt::format("--parameters '{}': must be a message model, with schema tutti-messages/1",
                      printable(machine.spec.parameters)));
    }
    if (machine.both_engines() || runs_on_simgrid_platform(machine)) {
      throw UserError(
          fmt::format("--platform '{}': a fit uses the engine flow only, which does not support "
                      "this platform; use a platform that 'tutti platform' writes",
                      printable(platform_name(machine))));
    }
    machines_.push_back(&machine);
  }
}

std::vector<std::vector<double>> FittedPoints::seconds(std::span<const MessageModel> models,
                                                       const std::vector<std::size_t>& these,
                                                       const std::string& doing) const {
  MessageModels shared;
  for (const MessageModel& model : models) {
    shared.push_back(std::make_shared<const MessageModel>(model));
  }
  std::vector<std::vector<double>> found(models.size(), std::vector<double>(these.size()));
  std::vector<std::size_t> order(these.size());
  std::iota(order.begin(), order.end(), 0);
  const auto case_of = [&](std::size_t k) {
    const std::size_t i = these[k];
    return Case{points_[places_[i]].algorithm, problems_[i], machines_[i]};
  };
  const auto work = [&](std::size_t k) { return expected_work(case_of(k)); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work(a) > work(b); });
  Progress progress(doing, "point", these.size(), err_);
  run_parallel(
      order, jobs_,
      [&](std::size_t, std::size_t k) {
        const std::vector<double> times = times_with(shared, case_of(k));
        for (std::size_t m = 0; m < times.size(); ++m) {
          found[m][k] = times[m];
        }
      },
      [&](std::size_t done) {
        if (progress.due()) {
          progress.show(done);
        }
      });
  return found;
}

}  // namespace tutti::inline experiments
