// Builds the operations of a program that calls algorithms, with the final blocks. Calls cut the
// program's own blocks, called pieces, into smaller ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/patterns/group_part.hpp"
#include "schedules/patterns/vector_cut.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules { namespace program {

class MovedBlocks {
 public:
  // `pieces` is the schedule with all operations; it must outlive this object. Its operations that
  // belong to the program itself count blocks in pieces, not in final blocks. The scratch slots of
  // calls come after the `own_slots` slots of the program itself.
  MovedBlocks(const Schedule& pieces, const BlockLayout& layout, std::uint32_t own_slots);

  // The functions below add operation `id` of `pieces`; ids must be added in ascending order. add()
  // adds an operation of the program itself, which moves the same blocks as operation `origin` of
  // `from`.
  void add(const Schedule& from, OpId origin, const BlockPlaces& places, OpId id);
  // Adds an operation of a call, which moves the same blocks as operation `origin` of the call's
  // part.
  void add_call(const GroupPart& part, OpId origin, const BlockPlaces& places, OpId id);
  // Adds a copy of the input that `rank` of the part will read.
  void add_kept(const GroupPart& part, Rank rank, const BlockPlaces& places, OpId id);

  // Returns the parts, with the dependencies of `pieces`. The object must not be used afterwards.
  [[nodiscard]] ScheduleParts take();
  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

 private:
  // Appends operation `id` with `move`, or with pairs_ if `move` is empty.
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

}}}  // namespace tutti::schedules::program
