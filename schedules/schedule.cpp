#include "schedules/schedule.hpp"

#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

Schedule::Schedule() = default;
Schedule::Schedule(Schedule&&) noexcept = default;
Schedule& Schedule::operator=(Schedule&&) noexcept = default;
Schedule::~Schedule() = default;

void Schedule::resize(Problem problem, BlockLayout layout) {
  TUTTI_INVARIANT(has_payload() && layout.blocks() == blocks());
  TUTTI_INVARIANT(problem.ranks == ranks() && problem.vector_bytes() == layout.bytes());
  problem_ = std::move(problem);
  layout_ = std::move(layout);
  bytes_sent_ = bytes_reduced_ = 0;
  for (OpId id = 0; id < size(); ++id) {
    Op& op = ops_[id];
    const BlockSet& from = payloads_[id].from;
    std::uint64_t bytes = 0;
    if (op.pooled()) {
      for (const BlockPair& pair : std::span(pool_).subspan(from.first, from.count)) {
        bytes += layout_.size_bytes(pair.from % blocks());
      }
    } else {
      bytes = layout_.set_bytes(from);
    }
    TUTTI_INVARIANT(bytes <= kMaxMessageBytes);
    op = {op.kind(), op.src(),  op.dst(),     bytes,      op.label(),
          op.from(), op.into(), op.from_is(), op.pooled()};
    bytes_sent_ += op.is_comm() ? bytes : 0;
    bytes_reduced_ += op.kind() == OpKind::reduce ? bytes : 0;
  }
}

std::size_t Schedule::memory_bytes() const {
  return ops_.capacity() * sizeof(Op) + payloads_.capacity() * sizeof(Payload) +
         units_.capacity() * sizeof(Units) + pool_.capacity() * sizeof(BlockPair) +
         predecessors_.memory_bytes() + successors_.memory_bytes();
}

}}  // namespace tutti::schedules
