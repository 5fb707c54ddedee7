// Several schedules in one. Each part is a schedule over its own ranks of a larger set; between the
// parts, ranks calculate.
//
// A rank begins its operations of a part when it has done what the part follows at that rank. Other
// ranks of the part may begin earlier or later: there is no barrier, as in MPI and NCCL.
//
// The result is an application (Collective::application) without payload. Its calculations are
// copies at the price kUnionCopy_s_per_byte, so that reductions of the parts keep the price that
// they have on the machine. A calculation takes the core of its rank, and so does a reduction,
// unless it takes no time.
//
// If moving the ranks maps the whole union onto itself, the union of classes has the operations of
// the first rank of each class only, as a RankPart does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rows.hpp"
#include "schedules/assemble.hpp"
#include "schedules/rank_part.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Price of a copied byte on every machine that runs a union: the bytes of a copy are its time in
// picoseconds.
inline constexpr double kUnionCopy_s_per_byte = 1e-12;

// A schedule that can be appended to a union any number of times.
class UnionPart {
 public:
  // `copy_s_per_byte` is the price of the schedule's own copies, which are rounded to picoseconds.
  // A message has `sent_per_byte` bytes for each byte of the schedule, as with a protocol that adds
  // flags to the data.
  explicit UnionPart(Schedule schedule, double copy_s_per_byte = 0, double sent_per_byte = 1);
  // The first ranks of the classes of a symmetric schedule, for a union of classes.
  explicit UnionPart(RankPart part, double copy_s_per_byte = 0, double sent_per_byte = 1);

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  // Number of ranks whose operations the part has.
  [[nodiscard]] std::uint32_t members() const { return members_; }
  // The rank of the whole schedule to which each message goes; empty for a part with all ranks.
  [[nodiscard]] std::span<const Rank> targets() const { return targets_; }
  // Returns the member whose operations a place of the schedule has: a sender or a receiver. The
  // number of a switch is at least members().
  [[nodiscard]] Rank member_at(Rank place) const {
    return place >= members_ && place < schedule_.ranks() ? place - members_ : place;
  }
  // Returns the operations of a member without a later operation of the same one, ascending.
  [[nodiscard]] std::span<const OpId> last(Rank member) const { return last_[member]; }
  // True if no earlier operation of the sender, or of the receiver, precedes the operation.
  [[nodiscard]] bool first_at_src(OpId id) const { return (first_[id] & kSrc) != 0; }
  [[nodiscard]] bool first_at_dst(OpId id) const { return (first_[id] & kDst) != 0; }
  // Returns the bytes that the operation has in a union.
  [[nodiscard]] std::uint64_t bytes(const Op& op) const;

 private:
  static constexpr std::uint8_t kSrc = 1;
  static constexpr std::uint8_t kDst = 2;

  void find_ends();
  [[nodiscard]] bool touches(const Op& op, Rank member) const {
    return member_at(op.src()) == member || member_at(op.dst()) == member;
  }

  Schedule schedule_;
  std::uint32_t members_;
  std::vector<Rank> targets_;
  double copy_s_per_byte_;
  double sent_per_byte_;
  std::vector<std::uint8_t> first_;  // by operation
  Rows<OpId> last_;                  // by member
};

// The operations of a part in a union: `begin` to `end` - 1.
struct OpRange {
  OpId begin = 0;
  OpId end = 0;
};

class ScheduleUnion {
 public:
  explicit ScheduleUnion(std::uint32_t ranks);
  // A union of classes. Its ranks are the classes: those of all calls below are below their number.
  explicit ScheduleUnion(RankClasses classes);

  [[nodiscard]] OpId size() const { return static_cast<OpId>(parts_.ops.size()); }

  // Ranks in calls below are numbered from this one on.
  void count_ranks_from(Rank first) { first_rank_ = first; }

  // Appends a part in which members[i] takes the place of the part's rank i. at[i] is the operation
  // that the part follows at this rank, kNoOp if it follows none. It becomes the operation with
  // which the part is over there: if the rank takes part, its last one, or an operation without
  // duration after its last ones. The first of the part's switches gets the number `first_switch`;
  // see add_switches(). If the part is one of classes, members[i] is its first rank i, and `whole`
  // has all ranks of the communicator, with their numbers in the whole union. Throws
  // ScheduleTooLarge.
  OpRange append(const UnionPart& part, std::span<const Rank> members, std::span<OpId> at,
                 std::uint32_t first_switch = 0, std::span<const Rank> whole = {});
  // Adds switches, and returns the number of the first one. Appended parts may share switches only
  // if these are the same switches of the platform, as those of a schedule that runs several times.
  std::uint32_t add_switches(std::uint32_t count);

  // Appends a calculation of a rank, which follows `after`, and returns its last operation. A long
  // one becomes several operations.
  OpId calculate(Rank rank, std::uint64_t picoseconds, OpId after);
  // Returns an operation of the rank that is over when all of `after` are, which may contain kNoOp:
  // kNoOp if there is no other, the operation itself if there is one, and otherwise a new one
  // without duration.
  OpId join(Rank rank, std::span<const OpId> after);

  // Returns the union. Nothing can be appended afterwards.
  [[nodiscard]] Schedule finish();
  // Returns a union of classes.
  [[nodiscard]] RankPart finish_part();

 private:
  // Returns join() of the operations in joined_, which are ascending and distinct.
  OpId end_of_joined(Rank rank);
  OpId add_local(Rank rank, std::uint64_t picoseconds);
  void close_row();

  ScheduleParts parts_;
  Rank first_rank_ = 0;
  std::optional<RankClasses> classes_;
  std::vector<Rank> targets_;  // of a union of classes
  std::vector<OpId> joined_;   // operations to join
};

}}  // namespace tutti::schedules
