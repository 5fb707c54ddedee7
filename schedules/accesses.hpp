// The blocks that an operation reads and writes at a rank.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

enum class Access : std::uint8_t {
  read,
  write,
  // Reads and writes in one step, as a reduction does with the block that receives its result.
  update,
};

[[nodiscard]] constexpr bool reads(Access access) { return access != Access::write; }
[[nodiscard]] constexpr bool writes(Access access) { return access != Access::read; }

// Calls visit(first, count) for each run of consecutive block indices that operation `id` reads.
// Block `b` of scratch slot `s` has the index s * schedule.blocks() + b. A run stays within one
// slot. for_each_run_written() does the same for the indices that the operation writes.
template <typename Visit>
void for_each_run_read(const Schedule& schedule, OpId id, Visit&& visit) {
  const Payload& payload = schedule.payload(id);
  if (schedule.op(id).pooled()) {
    for (const BlockPair& pair : schedule.pool().subspan(payload.from.first, payload.from.count)) {
      visit(pair.from, 1U);
    }
  } else {
    for_each_run(payload.from, schedule.blocks(), visit);
  }
}

template <typename Visit>
void for_each_run_written(const Schedule& schedule, OpId id, Visit&& visit) {
  const Payload& payload = schedule.payload(id);
  if (schedule.op(id).pooled()) {
    for (const BlockPair& pair : schedule.pool().subspan(payload.from.first, payload.from.count)) {
      visit(pair.into, 1U);
    }
  } else {
    BlockSet into = payload.from;
    into.first = payload.into_first;
    for_each_run(into, schedule.blocks(), visit);
  }
}

// Calls visit(buffer, first, count, access) for each run of blocks that operation `id` touches at
// `rank`. A message reads at its sender and writes at its receiver. Reads are visited before
// writes.
template <typename Visit>
void for_each_access(const Schedule& schedule, OpId id, Rank rank, Visit&& visit) {
  const Op& op = schedule.op(id);
  if (op.src() == rank) {
    for_each_run_read(schedule, id, [&](std::uint32_t first, std::uint32_t count) {
      visit(op.from(), first, count, Access::read);
    });
  }
  if (op.dst() == rank) {
    const Access access = op.kind() == OpKind::reduce ? Access::update : Access::write;
    for_each_run_written(schedule, id, [&](std::uint32_t first, std::uint32_t count) {
      visit(op.into(), first, count, access);
    });
  }
}

}}  // namespace tutti::schedules
