// Computes the time of a schedule from alpha, beta and gamma alone: the length of the longest path
// of its DAG, including waits for the ports and the single core of each rank. (Without these waits,
// the longest path is only a lower bound, which is loose for trees and linear algorithms.)
#pragma once

#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace sim {

// A Timeline without the times of operations.
struct PathTotal {
  double total_s = 0;
  bool waited = false;
};

class CriticalPathEngine final : public Engine {
 public:
  explicit CriticalPathEngine(const Prices& prices) : prices_(prices) {}

  [[nodiscard]] std::string_view name() const override { return "critical-path"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;
  // Computes only the total, which needs less memory: 16 bytes fewer per operation.
  [[nodiscard]] PathTotal run_total(const Schedule& schedule, const RunSetup& setup) const;

 private:
  Prices prices_;
};

}}  // namespace tutti::sim
