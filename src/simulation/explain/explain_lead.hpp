// Why one run is shorter than another, in a clause that follows from the accounts of both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/case.hpp"
#include "src/simulation/spending.hpp"

namespace tutti::inline simulation {

// The one form of all such clauses: "start-up: 8.4 us against 16.8 us of circulant".
[[nodiscard]] std::string advantage(std::string_view on, double own_s, double second_s,
                                    std::string_view second_name);

// A difference is mentioned beside the largest one if it is at least this part of it.
inline constexpr double kWorthSaying = 0.25;

// The account of a run: seconds by what they are spent on, and by the links that cost them.
struct LeadAccount {
  struct Links {
    std::string group;       // "leaf up-links"
    std::size_t rounds = 0;  // in which they are crossed
    double lost_s = 0;       // on the chain
  };
  Spent spent;               // whoever waited for it meanwhile
  std::uint64_t rounds = 0;  // of the schedule
  std::vector<Links> links;  // those to which most is lost first
};

// Runs the case and watches it. Nothing where that would not be done at once: the network is not in
// this process, or the schedule is large.
[[nodiscard]] std::optional<LeadAccount> account_for_lead(const Case& what);

// "lost to leaf up-links: 9.2 us against 477 us of circulant (crossed in 2 of 12 rounds against 12
// of 12); but transfer: 3 us against 1 us". `second_name`: what the other is called. "" where an
// account is missing, or what differs is nothing that an account knows.
[[nodiscard]] std::string explain_lead(const std::optional<LeadAccount>& best,
                                       const std::optional<LeadAccount>& second,
                                       const std::string& second_name);

}  // namespace tutti::inline simulation
