#include "schedules/patterns/group_part.hpp"

#include <algorithm>

#include "schedules/accesses.hpp"

namespace tutti { inline namespace schedules {

GroupPart::GroupPart(Schedule&& made) : schedule(std::move(made)), flags(schedule.size()) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const auto none_at = [&](const OpIds& others, Rank rank) {
      return std::none_of(others.begin(), others.end(),
                          [&](OpId other) { return schedule.op(other).touches(rank); });
    };
    std::uint8_t& flag = flags[id];
    if (none_at(schedule.predecessors(id), op.src())) {
      flag |= first_at_src;
    }
    if (none_at(schedule.predecessors(id), op.dst())) {
      flag |= first_at_dst;
    }
    if (none_at(schedule.successors(id), op.src())) {
      flag |= last_at_src;
    }
    if (none_at(schedule.successors(id), op.dst())) {
      flag |= last_at_dst;
    }
    levels = std::max(levels, op.label().level + 1);
    segments = std::max(segments, op.label().segment + 1);
    if (op.from() == Buffer::input) {
      input_read.resize(schedule.ranks());
      for_each_run_read(schedule, id, [&](std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t block = first; block < first + count; ++block) {
          input_read[op.src()].insert(block);
        }
      });
    }
  }
}

bool GroupPart::moves_nothing(OpId id, const BlockPlaces& places) const {
  bool nothing = true;
  for_each_block_pair(schedule, id, [&](std::uint32_t read, std::uint32_t) {
    nothing = nothing && places.count(read % schedule.blocks()) == 0;
  });
  return nothing;
}

}}  // namespace tutti::schedules
