// Why one run is shorter than another, in a clause that follows from the accounts of both.
#pragma once

#include <string>

#include "simulation/case.hpp"

namespace tutti {

// "crosses leaf up-links in 2 of 12 rounds, circulant in 12 of 12, and loses 9.2 us to them against
// 477 us". `second_name`: what the other is called. "" where that cannot be told at once: the
// network is not in this process, a schedule is large, or what differs is nothing that an account
// knows.
[[nodiscard]] std::string why_first(const Case& best, const Case& second,
                                    const std::string& second_name);

}  // namespace tutti
