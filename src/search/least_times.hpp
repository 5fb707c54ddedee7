// A time that a schedule cannot beat, found faster than by simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "src/search/family.hpp"

namespace tutti::inline search {

// The routes between all ranks of a goal. Threads may share it.
class LeastTimes {
 public:
  // Looks at the routes between all ranks, if there are at most kMostRanks.
  explicit LeastTimes(const Goal& goal);

  // Returns the time, in seconds, in which the busiest link carries its bytes, or the busiest rank
  // sends or receives its messages one after the other, whichever is longer; 0 if there are more
  // than kMostRanks.
  [[nodiscard]] double of(const Schedule& schedule) const;

 private:
  static constexpr std::uint32_t kMostRanks = 512;
  struct Way {
    double latency_s = 0;
    double s_per_byte = 0;
    std::uint32_t first_use = 0;
    std::uint32_t end_use = 0;
  };
  // What a byte takes of a link.
  struct Use {
    std::uint32_t link;
    float s_per_byte;
  };

  std::uint32_t ranks_ = 0;  // 0 if there are too many
  std::uint32_t ports_;      // 0: unlimited
  std::size_t links_ = 0;
  std::vector<Way> ways_;  // by sender and receiver
  std::vector<Use> uses_;
};

}  // namespace tutti::inline search
