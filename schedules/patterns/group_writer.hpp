// Writes the calls of GroupCalls as one schedule.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/patterns/group_calls.hpp"
#include "schedules/patterns/group_part.hpp"

namespace tutti::inline schedules {

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
    std::vector<OpId> before;    // last operations of all earlier turns
    std::vector<OpId> blocking;  // last operations of the last blocking call of this turn
    std::vector<OpId> beside;    // last operations of the calls beside it
    std::vector<OpId> ended;     // last operations of the current call
    OpId kept = kNoOp;           // copy of the current call's input, before its other operations
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
  std::vector<GroupPart> parts_;  // by shape
  std::vector<OwnedPlaces> block_places_;
  std::vector<std::uint32_t> first_level_;  // of labels, by stage
  std::vector<std::uint32_t> segments_;     // segment labels per call, by stage
  static constexpr std::uint32_t kNoStage = 0xffffffffU;
  std::vector<std::uint32_t> first_stage_;  // in which each rank takes part
  std::vector<RankState> ranks_;
  std::vector<std::pair<Rank, Rank>> ends_;  // ranks of each operation written
  bool scratch_between_ = false;             // a call leaves its result in scratch
  Current current_;
  std::vector<BlockPair> pairs_;
};

}  // namespace tutti::inline schedules
