// The schedules that were found for several sizes: which of them to keep, and which is best for
// which size.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schedules/schedule.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace search {

// Returns the time of the schedule's operations on blocks of another size, the median over orders
// of ties; nothing if verify() finds them wrong for that size. The schedule must have payload.
[[nodiscard]] std::optional<double> time_at(Schedule schedule, const Problem& problem,
                                            const Machine& machine);

// The choice for a size.
struct SizeChoice {
  std::optional<std::size_t> find;  // empty: the best known algorithm
  double seconds = 0;
};

// Chooses as few finds as possible, so that at each size the choice takes at most kLoss longer than
// the best. `found_s` has the times of each find at each size, or nothing; `known_s` has the times
// of the best known algorithms.
inline constexpr double kLoss = 0.01;
[[nodiscard]] std::vector<SizeChoice> choose_finds(
    const std::vector<std::vector<std::optional<double>>>& found_s,
    const std::vector<double>& known_s);

}}  // namespace tutti::search
