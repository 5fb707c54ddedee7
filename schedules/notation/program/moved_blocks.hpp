// The operations of a program that calls algorithms, on the blocks into which these cut its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/patterns/group_part.hpp"
#include "schedules/patterns/vector_cut.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules::program {

class MovedBlocks {
 public:
  // `pieces` has the operations, with the program's own blocks where it says them itself; it must
  // outlive this. Scratch of calls comes after the program's own.
  MovedBlocks(const Schedule& pieces, const BlockLayout& layout, std::uint32_t own_slots);

  // Each is operation `id` of `pieces`, in their order.
  // As operation `origin` of `from` moves it, the program's own.
  void add(const Schedule& from, OpId origin, const BlockPlaces& places, OpId id);
  // As operation `origin` of a call's part does.
  void add_call(const GroupPart& part, OpId origin, const BlockPlaces& places, OpId id);
  // A copy of what `rank` of the part will read of its input.
  void add_kept(const GroupPart& part, Rank rank, const BlockPlaces& places, OpId id);

  // The parts, without their dependencies being changed. Afterwards there are none.
  [[nodiscard]] ScheduleParts take();
  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

 private:
  // `move`, or the pairs where it is none.
  void append(OpId id, const PlacedMove& move, std::uint32_t from_slot, std::uint32_t into_slot);
  [[nodiscard]] bool pairs_are_one_run() const;
  void use_slot(Buffer buffer, std::uint32_t slot);

  const Schedule& pieces_;
  std::uint32_t blocks_;
  std::uint32_t own_slots_;
  std::uint32_t scratch_slots_;
  ScheduleParts parts_;
  std::vector<BlockPair> pairs_;
};

}  // namespace tutti::inline schedules::program
