// The longest path of a schedule's DAG under alpha, beta and gamma, as if every rank had ports and
// cores without limit. A lower bound of what engines yield: tight for algorithms in rounds, loose
// for trees and linear algorithms, where messages wait for ports. The critical-path engine counts
// ports and cores in.
#pragma once

#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline cost_models {

struct LongestPath {
  double total_s = 0;
  std::vector<OpId> ops;  // one path that takes so long, in order; empty for an empty schedule
};

[[nodiscard]] LongestPath longest_path(const Schedule& schedule, const Prices& prices);

}  // namespace tutti::inline cost_models
