// Predicts the times of benchmark points with several message models.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "sim/messages/message_model.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/point_runs.hpp"
#include "src/simulation/case.hpp"

namespace tutti { inline namespace experiments {

// Benchmark points whose times are predicted. A call of seconds() makes the schedule of each point
// only once for all models, since models change only how messages are sent.
class FittedPoints {
 public:
  // Uses the entries of `points` at the indices `places`. Throws UserError if the algorithm of a
  // point refuses the problem, if the machine of a point has no message model, or if an engine
  // other than flow would run a point.
  FittedPoints(const std::vector<BenchmarkPoint>& points, std::vector<std::size_t> places,
               PointMachines& machines, std::optional<std::uint32_t> ranks_per_host,
               std::size_t jobs, Messages& messages);

  [[nodiscard]] const std::vector<std::size_t>& places() const { return places_; }
  [[nodiscard]] const BenchmarkPoint& point(std::size_t i) const { return points_[places_[i]]; }
  [[nodiscard]] std::uint32_t ranks_per_host(std::size_t i) const {
    return problems_[i].ranks_per_node;
  }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  // Returns one list for each model: the predicted times, in seconds, of the points `these`, which
  // are indices into places(). The progress display shows the text `doing`, such as "fitting".
  // Throws Stopped (base/work_ticker.hpp) if the work must end early.
  [[nodiscard]] std::vector<std::vector<double>> seconds(std::span<const MessageModel> models,
                                                         const std::vector<std::size_t>& these,
                                                         const std::string& doing) const;
  // The same for all points, those with the least work first. If the work must end early, returns
  // the times that are known; `known` receives for each point whether its times are.
  [[nodiscard]] std::vector<std::vector<double>> known_seconds(std::span<const MessageModel> models,
                                                               const std::string& doing,
                                                               std::vector<char>& known) const;

 private:
  [[nodiscard]] Case case_of(std::size_t i) const {
    return {points_[places_[i]].algorithm, problems_[i], machines_[i]};
  }
  enum class First : std::uint8_t { largest, smallest };  // points that begin first, by work
  void predict(
      std::span<const MessageModel> models, const std::vector<std::size_t>& these, First first,
      const std::string& doing,
      const std::function<void(std::size_t k, const std::vector<double>& times)>& take) const;

  const std::vector<BenchmarkPoint>& points_;
  std::vector<std::size_t> places_;
  std::vector<Problem> problems_;
  std::vector<const Machine*> machines_;
  std::size_t jobs_;
  Messages& messages_;
};

}}  // namespace tutti::experiments
