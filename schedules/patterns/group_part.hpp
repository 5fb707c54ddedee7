// A schedule that is written into another, among some of its ranks: which of its operations begin
// and end what a rank does in it, and how it is copied, operation for operation.
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

namespace tutti::inline schedules {

struct GroupPart {
  enum Flag : std::uint8_t { first_at_src = 1, first_at_dst = 2, last_at_src = 4, last_at_dst = 8 };

  explicit GroupPart(Schedule&& made);

  [[nodiscard]] bool reads_input(Rank rank) const {
    return !input_read.empty() && !input_read[rank].empty();
  }
  // Whether an operation moves only blocks that are of nothing, at these places.
  [[nodiscard]] bool moves_nothing(OpId id, const BlockPlaces& places) const;

  Schedule schedule;
  std::vector<std::uint8_t> flags;                  // by operation
  std::vector<std::set<std::uint32_t>> input_read;  // blocks, by rank; empty where none is read
  std::uint32_t levels = 0;
  std::uint32_t segments = 0;
};

// Copies parts into a `Target`, which says
//   begin_after(rank, after)        appends what a rank's first operation of the part comes after
//   write(id, src, dst, after)      writes operation `id` of the part between these ranks of the
//                                   whole, and returns its number there; kNoOp: nothing to move
//   touches(number, one, other)     whether what was written is at one of the two
//   end_with(rank, number)          is told of what the rank ends the part with
template <typename Target>
class PartCopier {
 public:
  explicit PartCopier(Target& target) : target_(target) {}

  // `members`: ranks of the whole, by rank of the part.
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
        // It moved nothing, and is not there: what it came after at this rank.
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

}  // namespace tutti::inline schedules
