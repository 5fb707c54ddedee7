// The time of a schedule under alpha, beta and gamma alone: the longest path of its DAG, with the
// ports of each rank and its one core counted in. (Without them the longest path is only a lower
// bound, and for trees and linear algorithms a loose one.)
#pragma once

#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline sim {

// As Timeline, without the times of operations.
struct PathTotal {
  double total_s = 0;
  bool waited = false;
};

class CriticalPathEngine final : public Engine {
 public:
  explicit CriticalPathEngine(const Prices& prices) : prices_(prices) {}

  [[nodiscard]] std::string_view name() const override { return "critical-path"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;
  // For those who want no more of it than the total: 16 bytes per operation less.
  [[nodiscard]] PathTotal run_total(const Schedule& schedule, const RunSetup& setup) const;

 private:
  Prices prices_;
};

}  // namespace tutti::inline sim
