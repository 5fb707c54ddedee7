// Kinds of time that a run spends, and the time that an operation takes alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/alone_times.hpp"

namespace tutti { inline namespace simulation {

enum class Spending : std::uint8_t {
  start_of_run,  // before the first operation can start, according to --parameters
  lateness,      // nothing ran, because the rank of the next operation was late
  startup,       // latency of a message's own route, and work at its two ends
  transfer,      // a message's bytes at the rate that it would have alone
  sharing,       // time lost to a link that other messages share
  reduction,
  copying,
  cores,  // time lost because more ranks than cores work on a host
};
inline constexpr std::size_t kSpendings = 8;

[[nodiscard]] std::string_view name(Spending on);  // "startup", for machine-readable output
// For reports. In an application, the time of reductions is that of calculations.
[[nodiscard]] std::string_view in_words(Spending on, Collective collective = Collective::allreduce);

// Seconds for each kind of spending.
class TimeBySpending {
 public:
  [[nodiscard]] double& operator[](Spending on) { return seconds_[static_cast<std::size_t>(on)]; }
  [[nodiscard]] double operator[](Spending on) const {
    return seconds_[static_cast<std::size_t>(on)];
  }
  // Calls visit(spending, seconds) for each kind of spending.
  template <typename Visit>
  void each(Visit&& visit) {
    for (std::size_t i = 0; i < kSpendings; ++i) {
      visit(static_cast<Spending>(i), seconds_[i]);
    }
  }
  template <typename Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < kSpendings; ++i) {
      visit(static_cast<Spending>(i), seconds_[i]);
    }
  }

 private:
  std::array<double, kSpendings> seconds_{};
};

using OwnTimes = std::function<OwnTime(OpId, const Op&)>;
// Returns the time that operations take alone according to alpha, beta and gamma, as if all routes
// and hosts were alike. Rank numbers from `ranks` on are switches, which are half a route away from
// a rank (schedules/prices.hpp).
[[nodiscard]] OwnTimes own_times_by(const Prices& prices, Rank ranks = kNoOp);

[[nodiscard]] OwnTimes own_times_of(AloneTimes alone);

// Divides the duration of an operation into the kinds of spending. The parts always add up to the
// duration, even if it is shorter than `own`, as it is when an engine finds a faster route than
// `own` assumes.
[[nodiscard]] TimeBySpending spent_by(const Op& op, double duration_s, const OwnTime& own);

}}  // namespace tutti::simulation
