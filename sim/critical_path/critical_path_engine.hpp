// The time of a schedule under alpha, beta and gamma alone: the longest path of its DAG, with the
// ports of each rank and its one core counted in. (Without them the longest path is only a lower
// bound, and for trees and linear algorithms a loose one.)
#pragma once

#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti {

class CriticalPathEngine final : public Engine {
 public:
  explicit CriticalPathEngine(const Prices& prices) : prices_(prices) {}

  [[nodiscard]] std::string_view name() const override { return "critical-path"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

 private:
  Prices prices_;
};

}  // namespace tutti
