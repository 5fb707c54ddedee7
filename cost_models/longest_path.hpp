// Longest path of a schedule's DAG, in seconds, with the costs alpha, beta and gamma, as if every
// rank had unlimited ports and cores. The length is a lower bound on the time that engines
// simulate: tight for algorithms in rounds, loose for trees and linear algorithms, whose messages
// wait for ports. The critical-path engine takes ports and cores into account.
#pragma once

#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace cost_models {

struct LongestPath {
  double total_s = 0;
  // The operations of one longest path, in order. Empty for an empty schedule.
  std::vector<OpId> ops;
};

[[nodiscard]] LongestPath longest_path(const Schedule& schedule, const Prices& prices);

}}  // namespace tutti::cost_models
