#include "schedules/notation/unique_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.hpp"
#include "schedules/notation/print.hpp"

namespace tutti { inline namespace schedules {

namespace {

// The label of a reduction has one rank, and all other labels have two, so Req(..,{3}) and
// Req(..,{3,3}) differ.
bool same_label(const Op& a, const Op& b) {
  return a.label() == b.label() && a.src() == b.src() && a.dst() == b.dst() &&
         (a.kind() == OpKind::reduce) == (b.kind() == OpKind::reduce);
}

std::uint64_t hash(const Op& op) {
  const Label label = op.label();
  std::uint64_t h = std::uint64_t{op.src()} << 32U | op.dst();
  h ^= (std::uint64_t{label.segment} << 20U | (op.kind() == OpKind::reduce ? 1U : 0U)) *
       0x9e3779b97f4a7c15ULL;
  h *= 0xff51afd7ed558ccdULL;
  return h ^ h >> 32U;
}

}  // namespace

void check_unique_labels(const Schedule& schedule) {
  // Checks level by level, so that the table of a level stays in the cache. One table for all
  // levels would cost a cache miss per operation.
  std::uint32_t levels = 0;
  for (const Op& op : schedule.ops()) {
    levels = std::max(levels, op.label().level + 1);
  }
  std::vector<std::uint32_t> rows(std::size_t{levels} + 2);
  for (const Op& op : schedule.ops()) {
    ++rows[op.label().level + 2];
  }
  for (std::size_t level = 2; level < rows.size(); ++level) {
    rows[level] += rows[level - 1];
  }
  std::vector<OpId> by_level(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    by_level[rows[schedule.op(id).label().level + 1]++] = id;
  }

  std::vector<OpId> table;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const std::size_t count = rows[level + 1] - rows[level];
    table.assign(std::bit_ceil(2 * count + 1), kNoOp);
    const std::size_t mask = table.size() - 1;
    for (std::uint32_t i = rows[level]; i < rows[level + 1]; ++i) {
      const Op& op = schedule.op(by_level[i]);
      std::size_t at = hash(op) & mask;
      while (table[at] != kNoOp) {
        if (same_label(schedule.op(table[at]), op)) {
          throw InvariantError(fmt::format("operations {} and {} share the label {}", table[at],
                                           by_level[i], label_text(op)));
        }
        at = (at + 1) & mask;
      }
      table[at] = by_level[i];
    }
  }
}

}}  // namespace tutti::schedules
