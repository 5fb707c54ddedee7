#include "schedules/side_by_side.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/assemble.hpp"
#include "schedules/mapped_payload.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Where the blocks of one of the schedules are among the blocks of all.
struct Blocks {
  std::uint32_t own = 1;         // blocks of the schedule, for each owner
  std::uint32_t all = 1;         // blocks of the result, for each owner
  std::uint32_t before = 0;      // blocks of the schedules before it, for each owner
  std::uint32_t blocks = 1;      // of the schedule
  std::uint32_t all_blocks = 1;  // of the result

  [[nodiscard]] std::uint32_t place(std::uint32_t index) const {
    const std::uint32_t slot = index / blocks;
    const std::uint32_t block = index % blocks;
    return slot * all_blocks + block / own * all + before + block % own;
  }
};

class Weaver {
 public:
  Weaver(const Problem& problem, std::span<const Schedule> schedules)
      : schedules_(schedules), new_ids_(schedules.size()) {
    parts_.problem = problem;
    owners_ = owns_parts(problem.collective) ? problem.ranks : 1;
    place_blocks();
    for (const Schedule& each : schedules) {
      TUTTI_INVARIANT(each.switches() == 0 && each.ranks() == problem.ranks);
      scratch_slots_ = std::max(scratch_slots_, each.scratch_slots());
    }
  }

  Schedule weave() {
    std::vector<OpId> next(schedules_.size());
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < schedules_.size(); ++i) {
        if (next[i] < schedules_[i].size()) {
          add(i, next[i]++);
          more = true;
        }
      }
    }
    return link(std::move(parts_), scratch_slots_);
  }

 private:
  void place_blocks() {
    std::uint32_t before = 0;
    for (const Schedule& each : schedules_) {
      TUTTI_INVARIANT(each.blocks() % owners_ == 0);
      const std::uint32_t own = each.blocks() / owners_;
      blocks_.push_back({own, 0, before, each.blocks(), 0});
      before += own;
    }
    std::vector<std::uint64_t> elements(std::size_t{before} * owners_);
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      blocks_[i].all = before;
      blocks_[i].all_blocks = before * owners_;
      const BlockLayout& layout = schedules_[i].layout();
      for (std::uint32_t block = 0; block < schedules_[i].blocks(); ++block) {
        elements[blocks_[i].place(block)] = layout.size_bytes(block) / layout.element_bytes();
      }
    }
    parts_.layout = BlockLayout::irregular(elements, parts_.problem.element_bytes);
  }

  void add(std::size_t i, OpId id) {
    const Schedule& schedule = schedules_[i];
    const Op& op = schedule.op(id);
    new_ids_[i].push_back(static_cast<OpId>(parts_.ops.size()));
    const Label label{op.label().level,
                      op.label().segment * static_cast<std::uint32_t>(schedules_.size()) +
                          static_cast<std::uint32_t>(i)};
    TUTTI_INVARIANT(label.segment <= kMaxSegment);
    const auto place = [&](std::uint32_t index) { return blocks_[i].place(index); };
    const bool pooled = append_mapped_payload(schedule, id, place, place, parts_);
    parts_.ops.emplace_back(op.kind(), op.src(), op.dst(), op.bytes(), label, op.from(), op.into(),
                            op.from_is(), pooled);
    for (const OpId before : schedule.predecessors(id)) {
      parts_.dependencies.push_back(new_ids_[i][before]);
    }
    parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
  }

  std::span<const Schedule> schedules_;
  std::vector<std::vector<OpId>> new_ids_;  // by schedule and operation
  std::vector<Blocks> blocks_;              // by schedule
  std::uint32_t owners_ = 1;
  std::uint32_t scratch_slots_ = 0;
  ScheduleParts parts_;
};

}  // namespace

Schedule side_by_side(const Problem& problem, std::span<const Schedule> schedules) {
  return Weaver(problem, schedules).weave();
}

}}  // namespace tutti::schedules
