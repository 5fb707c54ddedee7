// Longest path of a schedule's DAG under alpha, beta and gamma, as if every rank had unlimited
// ports and cores. It is a lower bound on the result of engines: tight for algorithms in rounds,
// loose for trees and linear algorithms, whose messages wait for ports. The critical-path engine
// takes ports and cores into account.
#pragma once

#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline cost_models {

struct LongestPath {
  double total_s = 0;
  std::vector<OpId> ops;  // one path of this length, in order; empty for an empty schedule
};

[[nodiscard]] LongestPath longest_path(const Schedule& schedule, const Prices& prices);

}  // namespace tutti::inline cost_models
