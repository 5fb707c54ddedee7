// A time that a schedule cannot beat, found faster than by simulation.
#pragma once

#include <cstdint>
#include <optional>

#include "src/search/rank_routes.hpp"

namespace tutti { inline namespace search {

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

  std::uint32_t ports_;               // 0: unlimited
  std::optional<RankRoutes> routes_;  // empty if there are too many ranks
};

}}  // namespace tutti::search
