#include "schedules/permuted.hpp"

#include <utility>

#include "base/error.hpp"
#include "schedules/assemble.hpp"
#include "schedules/mapped_payload.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Maps the index of a block in a rank's buffer to its index after the ranks have changed places.
class BlockMap {
 public:
  BlockMap(const Schedule& schedule, std::span<const Rank> order)
      : order_(order),
        ranks_(schedule.ranks()),
        blocks_(schedule.blocks()),
        each_(owns_parts(schedule.problem().collective) ? blocks_ / ranks_ : 0),
        by_distance_(schedule.problem().collective == Collective::alltoall) {}

  [[nodiscard]] std::uint32_t place(Rank rank, Buffer buffer, std::uint32_t index) const {
    if (each_ == 0 || (by_distance_ && buffer == Buffer::scratch)) {
      return index;
    }
    const std::uint32_t block = index % blocks_;
    const std::uint32_t part = block / each_;
    std::uint32_t moved = 0;
    if (!by_distance_) {
      moved = order_[part];
    } else if (buffer == Buffer::input) {  // for the rank that is `part` ranks further on
      moved = (order_[(rank + part) % ranks_] + ranks_ - order_[rank]) % ranks_;
    } else {  // from the rank that is `part` ranks further back
      moved = (order_[rank] + ranks_ - order_[(rank + ranks_ - part) % ranks_]) % ranks_;
    }
    return index - block + moved * each_ + block % each_;
  }

 private:
  std::span<const Rank> order_;
  std::uint32_t ranks_;
  std::uint32_t blocks_;
  std::uint32_t each_;  // blocks of each part; 0 if ranks own no parts
  bool by_distance_;
};

}  // namespace

Schedule permuted(const Schedule& schedule, std::span<const Rank> order) {
  TUTTI_INVARIANT(order.size() == schedule.ranks() && schedule.switches() == 0 &&
                  !schedule.has_units());
  const Collective collective = schedule.problem().collective;
  if (collective == Collective::alltoallv ||
      (owns_parts(collective) && !schedule.layout().uniform())) {
    throw UserError("ranks cannot be renumbered if their blocks have different sizes");
  }
  ScheduleParts parts;
  parts.problem = schedule.problem();
  if (has_root(collective)) {
    parts.problem.root = order[schedule.problem().root];
  }
  parts.layout = schedule.layout();
  const BlockMap map(schedule, order);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const bool pooled = append_mapped_payload(
        schedule, id, [&](std::uint32_t index) { return map.place(op.src(), op.from(), index); },
        [&](std::uint32_t index) { return map.place(op.dst(), op.into(), index); }, parts);
    parts.ops.emplace_back(op.kind(), order[op.src()], order[op.dst()], op.bytes(), op.label(),
                           op.from(), op.into(), op.from_is(), pooled);
    for (const OpId before : schedule.predecessors(id)) {
      parts.dependencies.push_back(before);
    }
    parts.rows.push_back(static_cast<std::uint32_t>(parts.dependencies.size()));
  }
  return link(std::move(parts), schedule.scratch_slots());
}

}}  // namespace tutti::schedules
