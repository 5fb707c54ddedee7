// Estimates how many messages the schedule of a candidate has, without making this schedule.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "src/simulation/case.hpp"

namespace tutti::inline experiments {

// Counts the messages of schedules for two small numbers of ranks, and extrapolates: on p ranks,
// the schedule of any algorithm has about p, p log p or p^2 messages, times the number of segments.
// Not thread-safe.
class MessageCount {
 public:
  // Returns the estimated number of messages of `what`, a case of `candidate`. Caches counts by
  // `candidate` and bytes. Returns 0 if the case has at most as many ranks as the larger of the two
  // counted schedules, or if the smaller one cannot be made.
  [[nodiscard]] std::uint64_t of(std::size_t candidate, const Case& what);

 private:
  struct Counted {
    std::uint64_t few = 0;
    std::uint64_t more = 0;  // number of messages on twice as many ranks as for `few`
  };
  std::map<std::pair<std::size_t, std::uint64_t>, Counted> counted_;  // by candidate and bytes
};

}  // namespace tutti::inline experiments
