#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "schedules/assemble.hpp"

namespace tutti::inline schedules {

namespace {

// Computes the successors of each operation (`turned_rows`, `turned_columns`) from its predecessors
// (`rows`, `columns`) by counting, in two passes that access memory almost sequentially. The
// successor rows are ascending because the operations are visited in order.
void turn_round(const std::vector<std::uint32_t>& rows, const std::vector<OpId>& columns,
                std::vector<std::uint32_t>& turned_rows, std::vector<OpId>& turned_columns) {
  const std::size_t size = rows.size() - 1;
  reserve_large(turned_rows, size + 1);
  turned_rows.assign(size + 1, 0);
  reserve_large(turned_columns, columns.size());
  turned_columns.resize(columns.size());
  // While the rows are being filled, turned_rows[v + 1] is the position of v's next successor;
  // afterwards it is the end of v's row. No separate array of cursors is needed.
  for (const OpId from : columns) {
    ++turned_rows[from + 1];
  }
  std::uint32_t start = 0;
  for (std::size_t id = 0; id < size; ++id) {
    start += std::exchange(turned_rows[id + 1], start);
  }
  for (std::size_t id = 0; id < size; ++id) {
    for (std::uint32_t at = rows[id]; at < rows[id + 1]; ++at) {
      turned_columns[turned_rows[columns[at] + 1]++] = static_cast<OpId>(id);
    }
  }
}

// A set of levels. Levels are numbered from 0, and some may hold no message.
class LevelSet {
 public:
  // Adds a level. Returns true if it was not in the set yet.
  bool add(std::uint32_t level) {
    if (level >= has_.size()) {
      has_.resize(std::size_t{level} + 1);
    }
    const bool is_new = !has_[level];
    has_[level] = true;
    return is_new;
  }

 private:
  std::vector<bool> has_;
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
  turn_round(parts.rows, parts.dependencies, schedule.successors_.starts, schedule.successors_.ids);
  schedule.predecessors_ = {std::move(parts.rows), std::move(parts.dependencies)};
  // The next two lines do nothing if the emitter reserved exactly the memory that it needed.
  parts.ops.shrink_to_fit();
  parts.payloads.shrink_to_fit();
  schedule.ops_ = std::move(parts.ops);
  schedule.payloads_ = std::move(parts.payloads);
  schedule.pool_ = std::move(parts.pool);
  schedule.bytes_only_ = parts.bare;
  return schedule;
}

}  // namespace tutti::inline schedules
