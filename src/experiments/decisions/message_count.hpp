// Estimates how many messages the schedule of a candidate has, without making the schedule.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "src/simulation/case.hpp"

namespace tutti::inline experiments {

// Counts the messages on a few ranks, and extrapolates: all algorithms have about p, p log p or p^2
// messages, times a number of segments. Not thread-safe.
class MessageCount {
 public:
  // Counts are cached by `candidate` and bytes. Returns 0 if the case does not have more ranks than
  // the schedules that are counted, or if these schedules cannot be made.
  [[nodiscard]] std::uint64_t of(std::size_t candidate, const Case& what);

 private:
  struct Counted {
    std::uint64_t few = 0;
    std::uint64_t more = 0;  // messages on twice as many ranks
  };
  std::map<std::pair<std::size_t, std::uint64_t>, Counted> counted_;  // by candidate and bytes
};

}  // namespace tutti::inline experiments
