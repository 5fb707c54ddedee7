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
    std::vector<OpId> before;    // ends all turns before
    std::vector<OpId> blocking;  // ends the last blocking call of this turn
    std::vector<OpId> beside;    // end those beside
    std::vector<OpId> ended;     // end this call
    OpId kept = kNoOp;           // of this call: it comes before all others
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

  // What PartCopier asks for.
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
  std::vector<std::uint32_t> first_level_;  // by stage
  std::vector<std::uint32_t> segments_;     // labels of a call, by stage
  static constexpr std::uint32_t kNoStage = 0xffffffffU;
  std::vector<std::uint32_t> first_stage_;  // that a rank takes part in
  std::vector<RankState> ranks_;
  std::vector<std::pair<Rank, Rank>> ends_;  // of what was written
  bool scratch_between_ = false;             // some call leaves its result in it
  Current current_;
  std::vector<BlockPair> pairs_;
};

}  // namespace tutti::inline schedules
