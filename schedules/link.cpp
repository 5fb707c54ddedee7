#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/assemble.hpp"

namespace tutti { inline namespace schedules {

namespace {

// A set of levels. Levels are numbered from 0, and some may hold no message.
class LevelSet {
 public:
  // Adds a level. Returns true if it was not in the set yet.
  bool add(std::uint32_t level) {
    if (level == last_) {  // usually, as the operations of a level follow each other
      return false;
    }
    last_ = level;
    if (level >= has_.size()) {
      has_.resize(std::size_t{level} + 1);
    }
    const bool is_new = !has_[level];
    has_[level] = true;
    return is_new;
  }

 private:
  std::vector<bool> has_;
  std::uint32_t last_ = kMaxLevel + 1;
};

}  // namespace

Schedule link(ScheduleParts&& parts, std::uint32_t scratch_slots) {
  TUTTI_INVARIANT(parts.ops.size() < kNoOp && parts.rows.size() == parts.ops.size() + 1);
  TUTTI_INVARIANT(parts.dependencies.size() <= std::numeric_limits<std::uint32_t>::max());
  TUTTI_INVARIANT(!parts.bare || (parts.payloads.empty() && parts.bare->op < parts.ops.size()));
  Schedule schedule;
  schedule.problem_ = std::move(parts.problem);
  schedule.layout_ = std::move(parts.layout);
  schedule.switches_ = parts.switches;
  schedule.scratch_slots_ = scratch_slots;
  LevelSet levels;
  for (const Op& op : parts.ops) {
    if (op.is_comm()) {
      ++schedule.messages_;
      schedule.bytes_sent_ += op.bytes();
      schedule.rounds_ += levels.add(op.label().level) ? 1 : 0;
    } else if (op.kind() == OpKind::reduce) {
      schedule.bytes_reduced_ += op.bytes();
    }
    schedule.pooled_ops_ += op.pooled() ? 1 : 0;
  }
  schedule.dependencies_ = parts.dependencies.size();
  schedule.predecessors_ = {std::move(parts.rows), std::move(parts.dependencies)};
  schedule.predecessors_.fold();
  schedule.successors_ = schedule.predecessors_.turned();
  // The next two lines do nothing if the emitter reserved exactly the memory that it needed.
  parts.ops.shrink_to_fit();
  parts.payloads.shrink_to_fit();
  schedule.ops_ = std::move(parts.ops);
  schedule.payloads_ = std::move(parts.payloads);
  schedule.pool_ = std::move(parts.pool);
  for (const Units& units : parts.units) {
    schedule.cores_ = std::max({schedule.cores_, units.src_core + 1U, units.dst_core + 1U});
    schedule.nics_ = std::max({schedule.nics_, units.src_nic + 1U, units.dst_nic + 1U});
  }
  if (schedule.cores_ > 1 || schedule.nics_ > 1) {
    parts.units.shrink_to_fit();
    schedule.units_ = std::move(parts.units);
  }
  schedule.bytes_only_ = parts.bare;
  schedule.repeated_ = std::move(parts.repeated);
  return schedule;
}

}}  // namespace tutti::schedules
