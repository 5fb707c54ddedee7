#include "tests/schedules/explore/proof.hpp"

#include "schedules/assemble.hpp"

namespace tutti::explore {

Schedule schedule_of(const Draft& draft) {
  ScheduleParts parts;
  parts.problem = draft.problem;
  parts.layout = draft.layout;
  for (const DraftOp& op : draft.ops) {
    std::uint64_t bytes = 0;
    for (const BlockPair& pair : op.pairs) {
      bytes += draft.layout.size_bytes(pair.from % draft.blocks());
    }
    const auto count = static_cast<std::uint32_t>(op.pairs.size());
    const bool pooled = count > 1;
    const BlockSet from{
        pooled ? static_cast<std::uint32_t>(parts.pool.size()) : op.pairs.front().from, count};
    if (pooled) {
      parts.pool.insert(parts.pool.end(), op.pairs.begin(), op.pairs.end());
    }
    parts.add({op.kind, op.src, op.dst, bytes, op.label, op.from, op.into, op.from_is, pooled},
              {from, pooled ? 0 : op.pairs.front().into}, op.after);
  }
  return assemble(std::move(parts));
}

}  // namespace tutti::explore
