// A schedule (the part) that is copied into a larger one (the whole), operation by operation, to
// some ranks of the whole. Records which operations of the part are the first and the last of a
// rank.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/patterns/vector_cut.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

struct GroupPart {
  enum Flag : std::uint8_t { first_at_src = 1, first_at_dst = 2, last_at_src = 4, last_at_dst = 8 };

  explicit GroupPart(Schedule&& made);

  [[nodiscard]] bool reads_input(Rank rank) const {
    return !input_read.empty() && !input_read[rank].empty();
  }
  // True if operation `id` moves only blocks that correspond to no blocks of the whole.
  [[nodiscard]] bool moves_nothing(OpId id, const BlockPlaces& places) const;

  Schedule schedule;
  // The flags of each operation. They tell if no predecessor (first) or no successor (last) of the
  // operation touches the rank that is its src or dst.
  std::vector<std::uint8_t> flags;
  // For each rank: the blocks of `input` that the rank reads. Empty if no rank reads `input`.
  std::vector<std::set<std::uint32_t>> input_read;
  std::uint32_t levels = 0;
  std::uint32_t segments = 0;
};

// Copies parts into a larger schedule through a `Target`, which provides
//   begin_after(rank, after)     appends to `after` the operations that must precede the rank's
//                                first operation
//   write(id, src, dst, after)   writes the part's operation `id`, between ranks `src` and `dst` of
//                                the larger schedule; returns its id in the larger schedule, or
//                                kNoOp if nothing is moved
//   touches(id, a, b)            true if operation `id` of the larger schedule involves rank a or b
//   end_with(rank, id)           records operation `id` of the larger schedule as one of the rank's
//                                last operations
template <typename Target>
class PartCopier {
 public:
  explicit PartCopier(Target& target) : target_(target) {}

  // `members`: the rank of the whole for each rank of the part.
  void copy(const GroupPart& part, std::span<const Rank> members) {
    placed_.assign(part.schedule.size(), kNoOp);
    dropped_.clear();
    for (OpId id = 0; id < part.schedule.size(); ++id) {
      copy(part, id, members);
    }
  }

 private:
  void copy(const GroupPart& part, OpId id, std::span<const Rank> members) {
    const Op& op = part.schedule.op(id);
    const Rank src = members[op.src()];
    const Rank dst = members[op.dst()];
    after_.clear();
    for (const OpId before : part.schedule.predecessors(id)) {
      if (placed_[before] != kNoOp) [[likely]] {
        after_.push_back(placed_[before]);
      } else {
        // The predecessor moved nothing and was not written: use its own predecessors.
        for (const OpId earlier : dropped_[before]) {
          if (target_.touches(earlier, src, dst)) {
            after_.push_back(earlier);
          }
        }
      }
    }
    const std::uint8_t flags = part.flags[id];
    if ((flags & GroupPart::first_at_src) != 0) {
      target_.begin_after(src, after_);
    }
    if (src != dst && (flags & GroupPart::first_at_dst) != 0) {
      target_.begin_after(dst, after_);
    }
    const OpId written = target_.write(id, src, dst, std::span<const OpId>(after_));
    placed_[id] = written;
    if (written == kNoOp) {
      dropped_[id] = after_;
    }
    if ((flags & GroupPart::last_at_src) != 0) {
      end_with(src, written);
    }
    if (src != dst && (flags & GroupPart::last_at_dst) != 0) {
      end_with(dst, written);
    }
  }

  void end_with(Rank rank, OpId written) {
    if (written != kNoOp) {
      target_.end_with(rank, written);
      return;
    }
    for (const OpId earlier : after_) {
      if (target_.touches(earlier, rank, rank)) {
        target_.end_with(rank, earlier);
      }
    }
  }

  Target& target_;
  std::vector<OpId> placed_;
  std::unordered_map<OpId, std::vector<OpId>> dropped_;
  std::vector<OpId> after_;
};

}}  // namespace tutti::schedules
