// What the time of a run is spent on, and what an operation takes alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/alone_times.hpp"

namespace tutti::inline simulation {

enum class Spending : std::uint8_t {
  start_of_run,  // before the first operation, as --parameters say
  lateness,      // nothing ran: the rank of the next operation came late
  startup,       // latency of a message's own route, and work at its two ends
  transfer,      // of a message's bytes, as fast as it would be alone
  sharing,       // slowed by a link that other messages use
  reduction,
  copying,
  cores,  // slowed, because more ranks than cores work on a host
};
inline constexpr std::size_t kSpendings = 8;

[[nodiscard]] std::string_view name(Spending on);      // "startup", for programs
[[nodiscard]] std::string_view in_words(Spending on);  // for people

// Seconds by what they are spent on.
class Spent {
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
// By alpha, beta and gamma, as if all routes and hosts were alike. Ends from `ranks` on are
// switches, and half of a route away (schedules/prices.hpp).
[[nodiscard]] OwnTimes own_times_by(const Prices& prices, Rank ranks = kNoOp);

[[nodiscard]] OwnTimes own_times_of(AloneTimes alone);

// Divides up the duration of an operation. No part takes more than there is, since an engine may
// know a faster way than `own`.
[[nodiscard]] Spent spent_by(const Op& op, double duration_s, const OwnTime& own);

}  // namespace tutti::inline simulation
