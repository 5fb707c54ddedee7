// Payloads of a schedule that is made from another one.
#pragma once

#include <cstdint>

#include "schedules/assemble.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Appends to `parts` the payload of operation `id` of `schedule`, in which the block that is read
// at index i is now at from(i), and the block that is written at index i is now at into(i). If the
// schedule has no payload, appends nothing. Returns true if the payload is pooled. `parts` must
// have its layout.
template <typename From, typename Into>
bool append_mapped_payload(const Schedule& schedule, OpId id, From&& from, Into&& into,
                           ScheduleParts& parts) {
  if (!schedule.has_payload()) {
    return schedule.op(id).pooled();
  }
  const std::uint32_t blocks = parts.layout.blocks();
  const auto first = static_cast<std::uint32_t>(parts.pool.size());
  bool one_run = true;
  for_each_block_pair(schedule, id, [&](std::uint32_t read, std::uint32_t written) {
    const BlockPair pair{from(read), into(written)};
    if (parts.pool.size() > first) {
      const BlockPair& last = parts.pool.back();
      one_run = one_run && last.from + 1 == pair.from && last.into + 1 == pair.into &&
                pair.from % blocks != 0 && pair.into % blocks != 0;
    }
    parts.pool.push_back(pair);
  });
  const auto count = static_cast<std::uint32_t>(parts.pool.size()) - first;
  if (!one_run) {
    parts.payloads.push_back({{first, count}, 0});
    return true;
  }
  const BlockPair start = count > 0 ? parts.pool[first] : BlockPair{};
  parts.pool.resize(first);
  parts.payloads.push_back({{start.from, count}, start.into});
  return false;
}

}}  // namespace tutti::schedules
