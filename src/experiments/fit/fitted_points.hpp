// Times of points under many models of messages.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/messages/message_model.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/point_machines.hpp"

namespace tutti::inline experiments {

// Each schedule is emitted once for all models of a call: what changes is only how messages go.
class FittedPoints {
 public:
  // Of `points` those whose places are listed. Throws UserError where one is bad input, where its
  // machine has no model of messages, or where another engine than flow is to run it.
  FittedPoints(const std::vector<BenchmarkPoint>& points, std::vector<std::size_t> places,
               PointMachines& machines, std::optional<std::uint32_t> ranks_per_host,
               std::size_t jobs, std::ostream& err);

  [[nodiscard]] const std::vector<std::size_t>& places() const { return places_; }
  [[nodiscard]] const BenchmarkPoint& point(std::size_t i) const { return points_[places_[i]]; }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  // Predicted seconds, for each model of each of `these` (of places()). `doing` is for who waits:
  // "fitting, step 2".
  [[nodiscard]] std::vector<std::vector<double>> seconds(std::span<const MessageModel> models,
                                                         const std::vector<std::size_t>& these,
                                                         const std::string& doing) const;

 private:
  [[nodiscard]] double seconds(const Schedule& schedule, std::size_t i,
                               const std::shared_ptr<const MessageModel>& model) const;

  const std::vector<BenchmarkPoint>& points_;
  std::vector<std::size_t> places_;
  std::vector<Problem> problems_;
  std::vector<const Machine*> machines_;
  std::size_t jobs_;
  std::ostream& err_;
};

}  // namespace tutti::inline experiments
