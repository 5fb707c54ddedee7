// Runs a schedule in id order on values of any type. Ignores dependencies; the proof checks that
// they enforce the necessary order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti {

// Numbers the cells of all ranks. A cell is one block of one buffer at one rank. The cells of
// `input` come first, then those of `work`, then those of the slots of `scratch`.
class Cells {
 public:
  explicit Cells(const Schedule& schedule)
      : blocks_(schedule.blocks()), per_rank_((2 + schedule.scratch_slots()) * blocks_) {}

  // `index` of a scratch block includes its slot: slot * blocks + block.
  [[nodiscard]] std::size_t at(Rank rank, Buffer buffer, std::uint32_t index) const {
    return std::size_t{rank} * per_rank_ + static_cast<std::size_t>(buffer) * blocks_ + index;
  }
  [[nodiscard]] std::size_t count(std::uint32_t ranks) const {
    return std::size_t{ranks} * per_rank_;
  }

 private:
  std::uint32_t blocks_;
  std::uint32_t per_rank_;
};

// For each operation, calls read(id, index, cell) for every cell that it reads, then write(id,
// index, cell) for every cell that it writes; `index` numbers the blocks of the operation from 0.
// Because all reads come before all writes, an operation may permute blocks in place.
template <typename Read, typename Write>
void replay(const Schedule& schedule, const Cells& cells, Read&& read, Write&& write) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    std::size_t index = 0;
    for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t) {
      read(id, index++, cells.at(op.src(), op.from(), from));
    });
    index = 0;
    for_each_block_pair(schedule, id, [&](std::uint32_t, std::uint32_t into) {
      write(id, index++, cells.at(op.dst(), op.into(), into));
    });
  }
}

}  // namespace tutti
