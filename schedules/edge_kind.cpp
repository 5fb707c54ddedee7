#include "schedules/edge_kind.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

namespace {

// One end of an operation: a set of blocks of one buffer at one rank.
struct BlockAccess {
  Rank rank;
  Buffer buffer;
  OpId id;
  // True for the blocks that the operation reads (Payload::from); false for those that it writes
  // (from Payload::into_first on).
  bool reads_from;
};

BlockAccess source(const Schedule& schedule, OpId id) {
  const Op& op = schedule.op(id);
  return {op.src(), op.from(), id, true};
}

BlockAccess destination(const Schedule& schedule, OpId id) {
  const Op& op = schedule.op(id);
  return {op.dst(), op.into(), id, false};
}

// Returns the index of the first block of an access, whose blocks must be one run.
std::uint32_t first_of(const Schedule& schedule, const BlockAccess& access) {
  const Payload& payload = schedule.payload(access.id);
  return access.reads_from ? payload.from.first : payload.into_first;
}

bool is_one_run(const Schedule& schedule, const BlockAccess& access) {
  return !schedule.op(access.id).pooled() && schedule.payload(access.id).from.contiguous();
}

std::vector<std::uint32_t> sorted_blocks(const Schedule& schedule, const BlockAccess& access) {
  std::vector<std::uint32_t> blocks;
  for_each_block_pair(schedule, access.id, [&](std::uint32_t from, std::uint32_t into) {
    blocks.push_back(access.reads_from ? from : into);
  });
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

bool overlap(const Schedule& schedule, const BlockAccess& a, const BlockAccess& b) {
  if (a.rank != b.rank || a.buffer != b.buffer) {
    return false;
  }
  if (is_one_run(schedule, a) && is_one_run(schedule, b)) {
    const std::uint32_t blocks = schedule.blocks();
    const std::uint32_t first_a = first_of(schedule, a);
    const std::uint32_t first_b = first_of(schedule, b);
    if (first_a / blocks != first_b / blocks) {
      // The blocks of `a` and `b` are in different scratch slots.
      return false;
    }
    // The block numbers of both runs ascend modulo the number of blocks, so the runs overlap if one
    // of them starts within the other.
    const std::uint32_t ahead = first_b >= first_a ? first_b - first_a : first_b + blocks - first_a;
    const std::uint32_t behind = ahead == 0 ? 0 : blocks - ahead;
    return ahead < schedule.payload(a.id).from.count || behind < schedule.payload(b.id).from.count;
  }
  const std::vector<std::uint32_t> blocks_a = sorted_blocks(schedule, a);
  const std::vector<std::uint32_t> blocks_b = sorted_blocks(schedule, b);
  auto at_a = blocks_a.begin();
  auto at_b = blocks_b.begin();
  while (at_a != blocks_a.end() && at_b != blocks_b.end()) {
    if (*at_a == *at_b) {
      return true;
    }
    ++(*at_a < *at_b ? at_a : at_b);
  }
  return false;
}

}  // namespace

std::string_view name(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::data:
      return "data";
    case EdgeKind::buffer:
      return "buffer";
    case EdgeKind::pace:
      return "pace";
  }
  return "";
}

EdgeKind edge_kind(const Schedule& schedule, OpId before, OpId after) {
  TUTTI_INVARIANT(schedule.has_payload());
  const BlockAccess read_before = source(schedule, before);
  const BlockAccess written_before = destination(schedule, before);
  const BlockAccess read_after = source(schedule, after);
  const BlockAccess written_after = destination(schedule, after);
  // A reduction also reads the blocks that it writes, because they hold one of its operands.
  if (overlap(schedule, written_before, read_after) ||
      (schedule.op(after).kind() == OpKind::reduce &&
       overlap(schedule, written_before, written_after))) {
    return EdgeKind::data;
  }
  if (overlap(schedule, read_before, written_after) ||
      overlap(schedule, written_before, written_after)) {
    return EdgeKind::buffer;
  }
  return EdgeKind::pace;
}

EdgeCounts count_edges(const Schedule& schedule) {
  EdgeCounts counts;
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      switch (edge_kind(schedule, before, id)) {
        case EdgeKind::data:
          ++counts.data;
          break;
        case EdgeKind::buffer:
          ++counts.buffer;
          break;
        case EdgeKind::pace:
          ++counts.pace;
          break;
      }
    }
  }
  return counts;
}

}}  // namespace tutti::schedules
