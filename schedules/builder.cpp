#include "schedules/builder.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "schedules/dependency_graph.hpp"

namespace tutti {

namespace {

// Turns predecessor rows into successor rows by counting: two passes, both nearly in order. The
// rows come out ascending, because operations are taken in order.
void turn_round(const std::vector<std::uint32_t>& rows, const std::vector<OpId>& columns,
                std::vector<std::uint32_t>& turned_rows, std::vector<OpId>& turned_columns) {
  const std::size_t size = rows.size() - 1;
  turned_rows.assign(size + 1, 0);
  turned_columns.resize(columns.size());
  // turned_rows[v + 1] is used as the place where v's next successor goes, so that after the fill
  // it is the end of v's row: no second array of cursors.
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

}  // namespace

ScheduleBuilder::ScheduleBuilder(const Problem& problem, BlockLayout layout, Detail detail)
    : problem_(problem), layout_(std::move(layout)), detail_(detail), rows_{0} {
  TUTTI_INVARIANT(problem_.ranks > 0 && problem_.bytes == layout_.bytes());
}

ScheduleBuilder::ScheduleBuilder(const Problem& problem, std::uint32_t blocks, Detail detail)
    : ScheduleBuilder(problem, BlockLayout::even(problem.elements(), blocks, problem.element_bytes),
                      detail) {}

void ScheduleBuilder::reserve(std::size_t ops, std::size_t dependencies) {
  if (ops >= kNoOp || dependencies > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError(fmt::format(
        "{} on {} ranks takes {} operations; a schedule holds at most 4294967294 operations and "
        "as many dependencies",
        name(problem_.collective), problem_.ranks, ops));
  }
  ops_.reserve(ops);
  rows_.reserve(ops + 1);
  dependencies_.reserve(dependencies);
  if (detail_ == Detail::payload) {
    payloads_.reserve(ops);
  }
}

OpId ScheduleBuilder::pairs(OpKind kind, Label label, Rank src, Rank dst, Place from, Place into,
                            std::span<const BlockPair> pairs, Operand from_is,
                            std::span<const OpId> after) {
  TUTTI_INVARIANT(!pairs.empty());
  const auto next = [&](std::uint32_t block) { return block + 1 == blocks() ? 0 : block + 1; };
  bool one_run = pairs.size() <= blocks();
  for (std::size_t i = 1; i < pairs.size() && one_run; ++i) {
    one_run = pairs[i].from == next(pairs[i - 1].from) && pairs[i].into == next(pairs[i - 1].into);
  }
  if (one_run) {
    return append(
        kind, label, src, dst,
        {{pairs[0].from, static_cast<std::uint32_t>(pairs.size())}, from, into, pairs[0].into},
        from_is, after);
  }
  TUTTI_INVARIANT(src < ranks() && dst < ranks() && (src != dst) == (kind == OpKind::comm));
  TUTTI_INVARIANT(label.level <= kMaxLevel && label.segment <= kMaxSegment);
  check_place(from, false);
  check_place(into, true);
  const auto first = static_cast<std::uint32_t>(pool_.size());
  std::uint64_t bytes = 0;
  for (const BlockPair& pair : pairs) {
    TUTTI_INVARIANT(pair.from < blocks() && pair.into < blocks());
    TUTTI_INVARIANT(layout_.size_bytes(pair.from) == layout_.size_bytes(pair.into));
    bytes += layout_.size_bytes(pair.from);
    if (detail_ == Detail::payload) {
      pool_.push_back({pair.from + from.slot * blocks(), pair.into + into.slot * blocks()});
    }
  }
  TUTTI_INVARIANT(pool_.size() <= std::numeric_limits<std::uint32_t>::max());
  TUTTI_INVARIANT(bytes <= kMaxMessageBytes);
  ++pooled_ops_;
  return push({kind, src, dst, bytes, label, from.buffer, into.buffer, from_is, true},
              {{first, static_cast<std::uint32_t>(pairs.size()), 0, 0}, 0}, after);
}

Schedule ScheduleBuilder::finish() {
  TUTTI_INVARIANT(ops_.size() < kNoOp);
  TUTTI_INVARIANT(dependencies_.size() <= std::numeric_limits<std::uint32_t>::max());
  Schedule schedule;
  schedule.problem_ = problem_;
  schedule.layout_ = layout_;
  schedule.scratch_slots_ = scratch_slots_;
  for (const Op& op : ops_) {
    if (op.is_comm()) {
      ++schedule.messages_;
      schedule.bytes_sent_ += op.bytes();
      if (op.label().level >= schedule.rounds_) {
        schedule.rounds_ = op.label().level + 1;
      }
    } else if (op.kind() == OpKind::reduce) {
      schedule.bytes_reduced_ += op.bytes();
    }
  }
  // The arrays are handed over to Boost's graphs as they are: copying them through its constructors
  // would double the memory and take longer than the emission.
  schedule.graphs_ = std::make_unique<DependencyGraphs>();
  auto& predecessors = schedule.graphs_->predecessors.m_forward;
  auto& successors = schedule.graphs_->successors.m_forward;
  turn_round(rows_, dependencies_, successors.m_rowstart, successors.m_column);
  predecessors.m_rowstart.swap(rows_);
  predecessors.m_column.swap(dependencies_);
  schedule.dependencies_ = predecessors.m_column.size();
  schedule.predecessor_rows_ = predecessors.m_rowstart.data();
  schedule.predecessors_ = predecessors.m_column.data();
  schedule.successor_rows_ = successors.m_rowstart.data();
  schedule.successors_ = successors.m_column.data();
  schedule.ops_ = std::move(ops_);
  schedule.payloads_ = std::move(payloads_);
  schedule.pool_ = std::move(pool_);
  schedule.pooled_ops_ = pooled_ops_;
  *this = ScheduleBuilder(problem_, layout_, detail_);
  return schedule;
}

}  // namespace tutti
