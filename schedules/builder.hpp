// The interface by which emitters write a schedule.
//
// An emitter cannot write a cycle (an operation may depend only on existing ones), an unmatched
// message (one call makes both ends), or a dependency between operations that share no rank (an
// assertion checks this). MPI can therefore run every schedule without hidden synchronisation.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/problem.hpp"
#include "schedules/rank_classes.hpp"
#include "schedules/repeated_rounds.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

inline constexpr std::uint32_t kSameBlocks = 0xffffffffU;

// The blocks that an operation moves, their source and their destination. By default, blocks keep
// their numbers. If `into_first` is set, it is the number that the first block gets at the
// destination; the blocks at source and destination must then have equal sizes.
struct Move {
  BlockSet blocks;
  Place from = kWork;
  Place into = kWork;
  std::uint32_t into_first = kSameBlocks;
};

// A range of ranks for range-based for loops: the ranks from `first` to `end_rank` - 1 that have no
// bit of `without` set, each combined with `flipped` by xor.
struct RankRange {
  struct Iterator {
    Rank rank;
    Rank without;
    Rank flipped;
    Rank operator*() const { return rank ^ flipped; }
    Iterator& operator++() {
      rank = ((rank | without) + 1) & ~without;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rank != other.rank; }
  };
  Rank first;
  Rank end_rank;
  Rank without = 0;
  Rank flipped = 0;

  [[nodiscard]] Iterator begin() const { return {first, without, flipped}; }
  [[nodiscard]] Iterator end() const { return {end_rank, without, flipped}; }
};

// Selects the part of a symmetric schedule (see schedules/symmetry.hpp) that one rank of each class
// performs: the rank that the first rank of the class becomes if all ranks are moved by `moved`.
struct ClassPart {
  RankClasses classes;
  Rank moved = 0;
};

// With `times_only`, the builder does not record blocks. This saves 20 bytes per operation. Such a
// schedule can be timed, but neither proved nor executed.
enum class Detail : std::uint8_t { payload, times_only };

// Returns the even split of the problem's vector into `blocks` blocks, or the layout with the
// user's block sizes if the problem has any.
[[nodiscard]] BlockLayout layout_in_blocks(const Problem& problem, std::uint32_t blocks);

class ScheduleBuilder;

// The numbers of the rounds to emit, for range-based for loops: 0 to kept - 1.
class AlikeRounds {
 public:
  AlikeRounds(ScheduleBuilder& builder, std::uint32_t kept) : builder_(builder), kept_(kept) {}

  struct Iterator {
    ScheduleBuilder& builder;
    std::uint32_t round;
    std::uint32_t operator*() const { return round; }
    inline Iterator& operator++();
    bool operator!=(const Iterator& other) const { return round != other.round; }
  };
  [[nodiscard]] Iterator begin() const { return {builder_, 0}; }
  [[nodiscard]] Iterator end() const { return {builder_, kept_}; }

 private:
  ScheduleBuilder& builder_;
  std::uint32_t kept_;
};

class ScheduleBuilder {
 public:
  ScheduleBuilder(Problem problem, BlockLayout layout, Detail detail = Detail::payload);
  // Builds only the given part: the sends and local work of one rank of each class, without
  // payload. In the schedule that finish() returns, two ranks represent each class c: rank c its
  // outgoing port and its core, and rank c + classes.count() its incoming port.
  ScheduleBuilder(Problem problem, BlockLayout layout, ClassPart part);
  // Builds the whole schedule with the layout layout_in_blocks(problem, blocks).
  ScheduleBuilder(const Problem& problem, std::uint32_t blocks, Detail detail = Detail::payload);

  // Adds `count` switches, which operations name as ranks(), ranks() + 1, ...
  void add_switches(std::uint32_t count) {
    TUTTI_INVARIANT(!part_ && count <= kMostRanks);
    switches_ += count;
  }
  // Emits only the first `rounds` rounds of each stretch of alike rounds that has more than four
  // times as many. If rounds have several steps, emits as many rounds as have `rounds` steps in
  // total, at least five, of each stretch with more than twice as many.
  void cut_to(std::uint32_t rounds) { most_rounds_ = rounds; }
  // The rounds of a stretch in which each round consists of the same operations, in the same order,
  // between the same ranks, with the same sizes and with the same dependencies on rounds before.
  // Each pass of the loop over the result must emit one round; the loop must not be left early, and
  // stretches must not be nested. `equal_sizes`: false if sizes differ between rounds, which
  // prevents a cut. `steps`: the number of steps of each round.
  [[nodiscard]] AlikeRounds alike(std::uint32_t count, bool equal_sizes, std::uint32_t steps = 1);
  // Calls emit(segment) for each of `count` segments, of which each part of the vector has one:
  // part i has the blocks i * count to (i + 1) * count - 1. The first segments, as far as all have
  // the sizes of segment 0, are alike.
  template <typename Emit>
  void each_segment(std::uint32_t count, Emit&& emit) {
    const std::uint32_t equal = equal_segments(count);
    for (const std::uint32_t segment : alike(equal, true)) {
      emit(segment);
    }
    for (std::uint32_t segment = equal; segment < count; ++segment) {
      emit(segment);
    }
  }
  // Calls emit(distance) for each distance from 1 to p - 1 to the rank that each rank sends to.
  // Distances that differ by the number of classes lead to ranks of the same classes. If a part is
  // built and the other ranks of a class are alike (RankClasses::others_alike), a round of the
  // stretch has one distance for each class.
  // Returns the first distance that is left out, and the first one behind.
  template <typename Emit>
  std::pair<std::uint32_t, std::uint32_t> each_distance(Emit&& emit) {
    const std::uint32_t turn = part_ && classes().others_alike() ? classes().count() : ranks();
    // In the first and the last round, some ranks send to the first ranks of classes.
    const std::uint32_t between = std::max(ranks() / turn, 2U) - 2;
    const bool equal_sizes = layout_.uniform();
    const std::uint32_t kept = kept_rounds(between, equal_sizes, turn);
    use_room((kept + 2.0) / (between + 2.0));
    for (std::uint32_t distance = 1; distance < turn; ++distance) {
      emit(distance);
    }
    for (const std::uint32_t round : alike(between, equal_sizes, turn)) {
      for (std::uint32_t i = 0; i < turn; ++i) {
        emit((round + 1) * turn + i);
      }
    }
    for (std::uint32_t distance = ranks() - turn; distance > 0 && distance < ranks(); ++distance) {
      emit(distance);
    }
    return {(kept + 1) * turn, (between + 1) * turn};
  }
  // Reserves memory for `ops` operations and `dependencies` dependencies, counted over all ranks.
  // Without this call, the arrays grow by doubling. Throws ScheduleTooLarge if the ids would need
  // more than 32 bits, or the arrays more than the machine's memory.
  void reserve(std::size_t ops, std::size_t dependencies);
  [[nodiscard]] std::size_t reserved_ops() const { return reserved_ops_; }

  // Adds a message from `src` to `dst` that depends on the operations in `after`, and returns its
  // id. Here and in the following functions, entries of `after` that are kNoOp or repeated are
  // ignored.
  OpId comm(Label label, Rank src, Rank dst, const Move& move, std::span<const OpId> after) {
    TUTTI_INVARIANT(src != dst);
    return append(OpKind::comm, label, src, dst, move, Operand::left, after);
  }
  // Combines the blocks in move.from into those in move.into at `rank`; `from_is` tells if the
  // blocks in move.from are the left or the right operand.
  OpId reduce(Label label, Rank rank, const Move& move, Operand from_is,
              std::span<const OpId> after) {
    return append(OpKind::reduce, label, rank, rank, move, from_is, after);
  }
  OpId copy(Label label, Rank rank, const Move& move, std::span<const OpId> after) {
    return append(OpKind::copy, label, rank, rank, move, Operand::left, after);
  }

  // Adds an operation of any kind on blocks that follow no regular pattern. Each pair in `blocks`
  // is a block that is read and the block that is written, numbered within their slots. The pairs
  // go into the schedule's pool unless they form one run.
  OpId pairs(OpKind kind, Label label, Rank src, Rank dst, Place from, Place into,
             std::span<const BlockPair> blocks, Operand from_is, std::span<const OpId> after);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const BlockLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint32_t ranks() const { return problem_.ranks; }
  [[nodiscard]] std::uint32_t places() const { return problem_.ranks + switches_; }
  [[nodiscard]] std::uint32_t blocks() const { return layout_.blocks(); }
  [[nodiscard]] OpId size() const { return static_cast<OpId>(ops_.size()); }

  // The ranks whose sends and local work the emitter must emit: all ranks, or one rank of each
  // class if the builder builds only a part. Used by emitters of symmetric algorithms.
  [[nodiscard]] RankRange emitted_ranks() const { return emitted_ranks(ranks()); }
  // Like emitted_ranks(), but for the virtual ranks 0 to count - 1 of an algorithm. If the
  // algorithm is symmetric, virtual ranks are equal to ranks.
  [[nodiscard]] RankRange emitted_ranks(std::uint32_t count) const {
    return part_ ? part_->emitted : RankRange{0, count};
  }
  [[nodiscard]] bool takes_part() const { return part_.has_value(); }
  [[nodiscard]] const RankClasses& classes() const { return part_->classes; }
  // Reduces whole_dependencies() by `dependencies`. In a part, one operation represents many, so
  // two entries of `after` that differ in the part may be the same operation in the whole schedule.
  void count_less(std::uint32_t dependencies) { whole_dependencies_ -= dependencies; }
  // Number of dependencies that the emitted operations have in the whole schedule. Repeated entries
  // of `after` count, because in the whole schedule they are operations of different ranks.
  [[nodiscard]] std::size_t whole_dependencies() const { return whole_dependencies_; }
  // Returns, for each message of a part, the rank of the whole schedule that receives the message
  // if the first rank of the sender's class sends it. Must be called before finish().
  [[nodiscard]] std::vector<Rank> take_targets() { return std::move(part_->targets); }

  // Returns the schedule and leaves the builder empty.
  [[nodiscard]] Schedule finish();

 private:
  friend struct AlikeRounds::Iterator;
  // Returns the number of rounds that are emitted of a stretch of `count`.
  [[nodiscard]] std::uint32_t kept_rounds(std::uint32_t count, bool equal_sizes,
                                          std::uint32_t steps) const;
  void close_round();
  // Reserves memory for this share of what reserve() asked for, unless that was done before.
  void use_room(double share);
  // Reserves memory for this share of the operations and dependencies.
  void make_room(std::size_t ops, std::size_t dependencies, double share);
  [[nodiscard]] std::uint32_t equal_segments(std::uint32_t count) const;

  OpId append(OpKind kind, Label label, Rank src, Rank dst, const Move& move, Operand from_is,
              std::span<const OpId> after);
  void check_place(Place place, bool written);
  void check_blocks(const BlockSet& blocks) const;
  void append_dependencies(OpId id, const Op& op, std::span<const OpId> after);
  void insert_dependency(OpId dependency);
  void begin_part_op(OpKind kind, Rank& src, Rank& dst);
  [[nodiscard]] bool joined(const Op& a, const Op& b) const {
    return part_ ? part_->joined(a, b) : a.shares_rank(b);
  }
  OpId push(const Op& op, const Payload& payload, std::span<const OpId> after);

  Problem problem_;
  BlockLayout layout_;
  Detail detail_;
  std::uint32_t switches_ = 0;
  std::uint32_t scratch_slots_ = 0;
  std::vector<Op> ops_;
  std::vector<Payload> payloads_;
  std::vector<BlockPair> pool_;
  std::size_t reserved_ops_ = 0;
  // The numbers of reserve(), until the memory is reserved.
  std::size_t asked_ops_ = 0;
  std::size_t asked_dependencies_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<OpId> dependencies_;
  struct Part {
    RankClasses classes;
    Rank moved = 0;
    RankRange emitted;
    std::vector<Rank> targets;

    // True if `a` and `b` touch ranks of a common class.
    [[nodiscard]] bool joined(const Op& a, const Op& b) const {
      const auto own = [this](Rank end) {
        return end < classes.count() ? end : end - classes.count();
      };
      return own(a.src()) == own(b.src()) || own(a.src()) == own(b.dst()) ||
             own(a.dst()) == own(b.src()) || own(a.dst()) == own(b.dst());
    }
  };
  std::optional<Part> part_;
  std::size_t whole_dependencies_ = 0;
  std::uint32_t most_rounds_ = kAllRounds;
  std::vector<RepeatedRounds> repeated_;
  // The stretch whose rounds are being emitted, where its last closed round ended, and the
  // dependencies until then.
  RepeatedRounds open_;
  OpId closed_until_ = 0;
  std::uint32_t closed_ = 0;
  std::size_t dependencies_until_ = 0;
};

inline AlikeRounds::Iterator& AlikeRounds::Iterator::operator++() {
  builder.close_round();
  ++round;
  return *this;
}

}}  // namespace tutti::schedules
