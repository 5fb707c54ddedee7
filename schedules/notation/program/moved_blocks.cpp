#include "schedules/notation/program/moved_blocks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace schedules { namespace program {

MovedBlocks::MovedBlocks(const Schedule& pieces, const BlockLayout& layout, std::uint32_t own_slots)
    : pieces_(pieces), blocks_(layout.blocks()), own_slots_(own_slots), scratch_slots_(own_slots) {
  parts_.problem = pieces.problem();
  parts_.layout = layout;
  parts_.ops.reserve(pieces.size());
  parts_.payloads.reserve(pieces.size());
  parts_.rows.reserve(pieces.size() + std::size_t{1});
  parts_.dependencies.reserve(pieces.dependencies());
}

void MovedBlocks::use_slot(Buffer buffer, std::uint32_t slot) {
  if (buffer != Buffer::scratch) {
    return;
  }
  if ((std::uint64_t{slot} + 1) * blocks_ >= kNoOp) {
    throw ScheduleTooLarge(
        sentence("{} scratch slots of {} blocks each are more than a schedule can number", slot + 1,
                 blocks_));
  }
  scratch_slots_ = std::max(scratch_slots_, slot + 1);
}

bool MovedBlocks::pairs_are_one_run() const {
  const auto next = [&](std::uint32_t block) { return block + 1 == blocks_ ? 0 : block + 1; };
  return pairs_.size() <= blocks_ &&
         std::adjacent_find(pairs_.begin(), pairs_.end(), [&](const BlockPair& a, BlockPair b) {
           return b.from != next(a.from) || b.into != next(a.into);
         }) == pairs_.end();
}

void MovedBlocks::append(OpId id, const PlacedMove& move, std::uint32_t from_slot,
                         std::uint32_t into_slot) {
  const Op& op = pieces_.op(id);
  use_slot(op.from(), from_slot);
  use_slot(op.into(), into_slot);
  const std::uint32_t from_base = from_slot * blocks_;
  const std::uint32_t into_base = into_slot * blocks_;
  Payload payload{{move.first + from_base, move.count, 0, 0}, move.first + into_base};
  bool pooled = false;
  if (move.count == 0) {
    TUTTI_INVARIANT(!pairs_.empty());
    payload.from.count = static_cast<std::uint32_t>(pairs_.size());
    pooled = !pairs_are_one_run();
    if (pooled) {
      TUTTI_INVARIANT(parts_.pool.size() + pairs_.size() <=
                      std::numeric_limits<std::uint32_t>::max());
      payload.from.first = static_cast<std::uint32_t>(parts_.pool.size());
      payload.into_first = 0;
      for (const BlockPair& pair : pairs_) {
        parts_.pool.push_back({pair.from + from_base, pair.into + into_base});
      }
    } else {
      payload.from.first = pairs_.front().from + from_base;
      payload.into_first = pairs_.front().into + into_base;
    }
  }
  parts_.ops.emplace_back(op.kind(), op.src(), op.dst(), op.bytes(), op.label(), op.from(),
                          op.into(), op.from_is(), pooled);
  parts_.payloads.push_back(payload);
  const auto before = pieces_.predecessors(id);
  parts_.dependencies.insert(parts_.dependencies.end(), before.begin(), before.end());
  parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
}

void MovedBlocks::add(const Schedule& from, OpId origin, const BlockPlaces& places, OpId id) {
  const PlacedMove move = place_move(from, origin, places, pairs_);
  append(id, move, move.from_slot, move.into_slot);
}

void MovedBlocks::add_call(const GroupPart& part, OpId origin, const BlockPlaces& places, OpId id) {
  const PlacedMove move = place_move(part.schedule, origin, places, pairs_);
  const Op& own = part.schedule.op(origin);
  const bool kept = own.from() != pieces_.op(id).from();
  const std::uint32_t from_slot = kept ? own_slots_ + part.schedule.scratch_slots()
                                  : own.from() == Buffer::scratch ? own_slots_ + move.from_slot
                                                                  : 0;
  const std::uint32_t into_slot = own.into() == Buffer::scratch ? own_slots_ + move.into_slot : 0;
  append(id, move, from_slot, into_slot);
}

void MovedBlocks::add_kept(const GroupPart& part, Rank rank, const BlockPlaces& places, OpId id) {
  pairs_.clear();
  for (const std::uint32_t block : part.input_read[rank]) {
    for (std::uint32_t i = 0; i < places.count(block); ++i) {
      const std::uint32_t whole = places.at(block, i);
      pairs_.push_back({whole, whole});
    }
  }
  append(id, {}, 0, own_slots_ + part.schedule.scratch_slots());
}

ScheduleParts MovedBlocks::take() { return std::move(parts_); }

}}}  // namespace tutti::schedules::program
