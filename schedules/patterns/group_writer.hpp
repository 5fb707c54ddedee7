// Writes the calls of GroupCalls as one schedule.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/patterns/group_calls.hpp"
#include "schedules/patterns/group_part.hpp"

namespace tutti { inline namespace schedules {

class GroupWriter {
 public:
  GroupWriter(const GroupCalls& calls, ScheduleBuilder& builder);

  void write();

 private:
  using Call = GroupCalls::Call;
  using Shape = GroupCalls::Shape;
  friend class PartCopier<GroupWriter>;

  struct RankState {
    std::int64_t turn = -1;
    // The rank's last operations in all earlier turns.
    std::vector<OpId> before;
    // The rank's last operations in the latest blocking call of this turn.
    std::vector<OpId> blocking;
    // The last operations of this rank in those calls of this turn that are marked `beside` (see
    // GroupCalls::Call).
    std::vector<OpId> beside;
    // The rank's last operations in the current call.
    std::vector<OpId> ended;
    // The operation that copies the rank's input of the current call before the other operations of
    // this call; kNoOp if there is none.
    OpId kept = kNoOp;
  };
  // The call that is being written.
  struct Current {
    const Call* call = nullptr;
    const GroupPart* part = nullptr;
    BlockPlaces places;
  };

  void count_labels();
  void reserve();
  [[nodiscard]] bool keeps_input(const Call& call, const GroupPart& part, Rank rank) const;
  RankState& state_of(Rank rank, std::uint32_t turn);
  void write(const Call& call, std::uint32_t shape);
  void keep_input(Rank rank);
  [[nodiscard]] static Place kept_input(const GroupPart& part, bool scratch_between) {
    return {Buffer::scratch, part.schedule.scratch_slots() + (scratch_between ? 1U : 0U)};
  }
  [[nodiscard]] Place read_place(const Op& op, Rank src, std::uint32_t slot) const;
  [[nodiscard]] Place own_place(Buffer buffer, std::uint32_t slot) const;

  // Interface that PartCopier requires.
  void begin_after(Rank rank, std::vector<OpId>& after) const;
  OpId write(OpId id, Rank src, Rank dst, std::span<const OpId> after);
  [[nodiscard]] bool touches(OpId id, Rank one, Rank other) const {
    const auto& [src, dst] = ends_[id];
    return src == one || dst == one || src == other || dst == other;
  }
  void end_with(Rank rank, OpId written) { ranks_[rank].ended.push_back(written); }

  const GroupCalls& calls_;
  ScheduleBuilder& builder_;
  GroupCalls::Cut cut_;
  // The schedule of each shape.
  std::vector<GroupPart> parts_;
  std::vector<OwnedPlaces> block_places_;
  // The first label level of each stage.
  std::vector<std::uint32_t> first_level_;
  // For each stage: the number of label segments that each of its calls uses.
  std::vector<std::uint32_t> segments_;
  static constexpr std::uint32_t kNoStage = 0xffffffffU;
  // The first stage in which each rank takes part, or kNoStage.
  std::vector<std::uint32_t> first_stage_;
  std::vector<RankState> ranks_;
  // The two ranks of each written operation.
  std::vector<std::pair<Rank, Rank>> ends_;
  // True if some call leaves its result in scratch.
  bool scratch_between_ = false;
  Current current_;
  std::vector<BlockPair> pairs_;
};

}}  // namespace tutti::schedules
