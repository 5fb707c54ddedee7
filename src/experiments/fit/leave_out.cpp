// Cross-validation over whole jobs. The points of one job have more in common than the model
// describes, so leaving out single points would give scores that are too good.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/experiments/fit/message_fit.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Scores the points `these`, whose predicted times are `seconds`, together with the library's own
// choices in the cells of these points.
std::optional<Score> score_of(const std::vector<BenchmarkPoint>& all, const FittedPoints& points,
                              const std::vector<std::size_t>& these,
                              const std::vector<double>& seconds) {
  std::vector<BenchmarkPoint> chosen;
  std::vector<std::optional<double>> predicted_s;
  std::vector<std::string> cells;
  for (std::size_t k = 0; k < these.size(); ++k) {
    chosen.push_back(points.point(these[k]));
    predicted_s.emplace_back(seconds[k]);
    cells.push_back(chosen.back().cell);
  }
  for (const BenchmarkPoint& point : all) {  // the library's own choices
    if (point.algorithm == nullptr &&
        std::find(cells.begin(), cells.end(), point.cell) != cells.end()) {
      chosen.push_back(point);
      predicted_s.emplace_back();
    }
  }
  return score(chosen, score_cells(chosen, {}), predicted_s,
               [](const BenchmarkPoint&) { return true; });
}

}  // namespace

std::vector<SplitFit> leave_jobs_out(const FitRequest& request,
                                     const std::vector<BenchmarkPoint>& all,
                                     const FittedPoints& points,
                                     const std::vector<std::size_t>& these) {
  std::vector<std::string> jobs;
  for (const std::size_t i : these) {
    if (const std::string job = points.point(i).full_job();
        std::find(jobs.begin(), jobs.end(), job) == jobs.end()) {
      jobs.push_back(job);
    }
  }
  if (jobs.size() < 2) {
    throw UserError(
        fmt::format("$leave_out_jobs: the only job is '{}'; give points of at least two jobs, "
                    "named in the column job",
                    jobs.empty() ? "" : jobs.front()));
  }
  std::vector<SplitFit> found;
  for (const bool without : {false, true}) {
    for (const std::string& job : jobs) {
      if (without && jobs.size() == 2) {
        continue;  // would be the same fit as the one to the other job alone
      }
      std::vector<std::size_t> on;
      std::vector<std::size_t> off;
      for (const std::size_t i : these) {
        ((points.point(i).full_job() == job) != without ? on : off).push_back(i);
      }
      SplitFit& each = found.emplace_back();
      each.job = job;
      each.without = without;
      const std::string doing = fmt::format("fitting {} {}", without ? "without" : "to", job);
      try {
        const MessageFitResult fit = fit_messages(request, points, on, doing);
        for (const FittedFigure& figure : fit.figures) {
          each.fitted.push_back(figure.fitted);
        }
        const std::vector<MessageModel> model{fit.model};
        each.on = score_of(all, points, on, points.seconds(model, on, doing).front());
        each.off = score_of(all, points, off, points.seconds(model, off, doing).front());
      } catch (const UserError& error) {
        each.refused = with_fields(error.what());
      }
    }
  }
  return found;
}

}}  // namespace tutti::experiments
