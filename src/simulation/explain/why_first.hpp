// Why one run is shorter than another, in a clause that follows from the accounts of both.
#pragma once

#include <string>
#include <string_view>

#include "src/simulation/case.hpp"

namespace tutti::inline simulation {

// The one form of all such clauses: "start-up: 8.4 us against 16.8 us of circulant".
[[nodiscard]] std::string advantage(std::string_view on, double own_s, double second_s,
                                    std::string_view second_name);

// What is worth a word beside the largest difference, as a part of it.
inline constexpr double kWorthSaying = 0.25;

// "lost to leaf up-links: 9.2 us against 477 us of circulant (crossed in 2 of 12 rounds against 12
// of 12); but transfer: 3 us against 1 us". `second_name`: what the other is called. "" where that
// cannot be told at once: the network is not in this process, a schedule is large, or what differs
// is nothing that an account knows.
[[nodiscard]] std::string why_first(const Case& best, const Case& second,
                                    const std::string& second_name);

}  // namespace tutti::inline simulation
