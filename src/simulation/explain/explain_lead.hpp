// Explains in a clause why one run is shorter than another, from the accounts of both runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/case.hpp"
#include "src/simulation/spending.hpp"

namespace tutti { inline namespace simulation {

// Returns a clause that explains why one run is faster than the other: "start-up: 8.4 us against
// 16.8 us for circulant".
[[nodiscard]] std::string advantage(std::string_view on, double own_s, double second_s,
                                    std::string_view second_name);

// A second advantage, or a disadvantage, is mentioned only if it is at least this fraction of the
// largest advantage.
inline constexpr double kWorthSaying = 0.25;

// Account of a run: seconds for each kind of spending, and seconds lost to each class of links.
struct LeadAccount {
  struct Links {
    std::string group;       // "leaf up-links"
    std::size_t rounds = 0;  // number of rounds in which messages cross such links
    double lost_s = 0;       // time lost on the critical chain
  };
  TimeBySpending spent;      // includes time in which the next operation waited for a port or core
  std::uint64_t rounds = 0;  // number of rounds of the schedule
  std::vector<Links> links;  // in the order of Explanation::links
};

// Runs the case and accounts for its time. Returns nothing if that would take long: only SimGrid
// can load the network, or there are too many ranks or operations.
[[nodiscard]] std::optional<LeadAccount> account_for_lead(const Case& what);

// Returns a clause: "lost to leaf up-links: 9.2 us against 477 us for circulant (crossed in 2 of 12
// rounds, against 12 of 12); but transfer: 3 us against 1 us". `second_name` is the name of the
// second run. Returns "" if an account is missing, or if the accounts do not explain the
// difference. An account describes a run with one order of ties, but the medians over several
// orders decide: `ties_s` is the difference between the lead in the two runs and the lead by the
// medians. An advantage that is not much larger than `ties_s` explains nothing.
[[nodiscard]] std::string explain_lead(const std::optional<LeadAccount>& best,
                                       const std::optional<LeadAccount>& second,
                                       const std::string& second_name, double ties_s);

}}  // namespace tutti::simulation
