// Costs as they were published, right or wrong: they stand beside the exact ones, so that whoever
// knows a formula sees where it holds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti {

struct PublishedCost {
  std::string_view formula;  // in words of p, n, alpha, beta, gamma
  std::string_view citation;
  // The formula for this problem, with lg p the real logarithm where it was printed without a
  // ceiling.
  std::optional<double> seconds;
  std::string_view remark;  // what one should know before believing it; may be empty
  // The formula is wrong even where its authors say that it holds.
  bool misprint = false;
};

// The main one first; none where nobody is known to have published one.
[[nodiscard]] std::vector<PublishedCost> published_costs(const Algorithm& algorithm,
                                                         const Problem& problem,
                                                         const Prices& prices);

}  // namespace tutti
