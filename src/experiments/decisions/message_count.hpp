// Estimates how many messages the schedule of a candidate has, without making this schedule.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "src/simulation/case.hpp"

namespace tutti::inline experiments {

// Counts the messages of schedules for small numbers of ranks, and extrapolates: on p ranks, all
// algorithms have about p, p log p or p^2 messages, times a number of segments. Not thread-safe.
class MessageCount {
 public:
  // Returns the estimated number of messages of `what`, a case of `candidate`. Caches counts by
  // `candidate` and bytes. Returns 0 if the case has no more ranks than the schedules that are
  // counted, or if these schedules cannot be made.
  [[nodiscard]] std::uint64_t of(std::size_t candidate, const Case& what);

 private:
  struct Counted {
    std::uint64_t few = 0;
    std::uint64_t more = 0;  // number of messages on twice as many ranks as for `few`
  };
  std::map<std::pair<std::size_t, std::uint64_t>, Counted> counted_;  // by candidate and bytes
};

}  // namespace tutti::inline experiments
