// How many messages the schedule of a candidate has, before anybody makes it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "src/simulation/case.hpp"

namespace tutti::inline experiments {

// Counts those of a few ranks, and takes it that more ranks grow alike: messages of all algorithms
// are about p, p log p or p^2, times a number of segments. For one thread.
class MessageCount {
 public:
  // `candidate` tells its likes of the same size from other candidates'. 0 up to as many ranks as
  // are counted, and where nothing can be made for these.
  [[nodiscard]] std::uint64_t of(std::size_t candidate, const Case& what);

 private:
  struct Counted {
    std::uint64_t few = 0;
    std::uint64_t more = 0;  // on twice as many ranks
  };
  std::map<std::pair<std::size_t, std::uint64_t>, Counted> counted_;  // by candidate and bytes
};

}  // namespace tutti::inline experiments
