// Numbers all blocks of all buffers and ranks, and provides the values of blocks at the start and
// the values demanded at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/values.hpp"

namespace tutti::explore {

class Places {
 public:
  explicit Places(const Draft& draft);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(Rank rank, Buffer buffer, std::uint32_t index) const {
    const std::uint32_t at = buffer == Buffer::input  ? 0
                             : buffer == Buffer::work ? blocks_
                                                      : 2 * blocks_;
    return rank * per_rank_ + at + index;
  }
  // Returns the value of each place at the start. The values are stored in `values`.
  [[nodiscard]] std::vector<Value> initial(Values& values) const;

  struct DemandedValue {
    std::uint32_t place;
    Rank rank;
    Demand demand;
  };
  // Returns the places for which the collective demands a value at the end. A barrier demands none,
  // because its messages carry no data.
  [[nodiscard]] const std::vector<DemandedValue>& demanded() const { return demanded_; }

 private:
  Contract contract_;
  std::uint32_t ranks_;
  std::uint32_t blocks_;
  std::uint32_t per_rank_;
  std::uint32_t count_;
  std::vector<DemandedValue> demanded_;
};

}  // namespace tutti::explore
