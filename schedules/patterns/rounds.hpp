// Algorithms in rounds. An operation of a level at a rank depends on everything (sends, receives
// and reductions) that the rank did at the previous level at which it was active. This models MPI
// libraries with a blocking send-receive per round. One scratch slot per rank is enough for the
// received data.
#pragma once

#include <array>
#include <vector>

#include "schedules/builder.hpp"

namespace tutti { inline namespace schedules {

class Rounds {
 public:
  explicit Rounds(ScheduleBuilder& builder)
      : builder_(builder),
        classes_(builder.takes_part() ? &builder.classes() : nullptr),
        ranks_(classes_ != nullptr ? classes_->count() : builder.ranks()) {}

  [[nodiscard]] RankRange emitted_ranks() const { return builder_.emitted_ranks(); }

  // The rounds of a stretch of `count` rounds that are alike; see ScheduleBuilder::alike().
  [[nodiscard]] AlikeRounds alike(std::uint32_t count) {
    return builder_.alike(count, builder_.layout().uniform());
  }

  // Starts the next level; its operations are labelled with `segment`. The first level is 0.
  void next(std::uint32_t segment = 0) {
    ++level_;
    label_ = {static_cast<std::uint32_t>(level_), segment};
  }

  // Adds a message of this level. A rank sends once and receives once per level.
  OpId comm(Rank src, Rank dst, const Move& move) {
    return exchange(
        src, dst, [&](const auto& after) { return builder_.comm(label_, src, dst, move, after); });
  }
  // Adds a message of blocks that follow no regular pattern. The blocks keep their numbers.
  OpId comm(Rank src, Rank dst, std::span<const BlockPair> blocks, Place from, Place into) {
    return exchange(src, dst, [&](const auto& after) {
      return builder_.pairs(OpKind::comm, label_, src, dst, from, into, blocks, Operand::left,
                            after);
    });
  }

  // Reduces what `rank` received at this level. If the reduction overwrites what the rank's own
  // send of this level reads, `also_after` must be that send (see sent()).
  OpId reduce(Rank rank, const Move& move, Operand from_is, OpId also_after = kNoOp) {
    State& state = touch(rank);
    const std::array after{state.now.receive, also_after};
    // The reduction replaces the receive: an operation that comes after the reduction also comes
    // after the receive.
    state.now.receive = builder_.reduce(label_, rank, move, from_is, after);
    return state.now.receive;
  }
  OpId reduce(Rank rank, std::span<const BlockPair> blocks, Place from, Place into,
              Operand from_is) {
    State& state = touch(rank);
    const std::array after{state.now.receive};
    state.now.receive =
        builder_.pairs(OpKind::reduce, label_, rank, rank, from, into, blocks, from_is, after);
    return state.now.receive;
  }

  // Adds a second reduction at the end of this level, after everything that `rank` did in it.
  OpId reduce_at_end(Rank rank, const Move& move, Operand from_is) {
    State& state = touch(rank);
    return end_with(state, builder_.reduce(end_label(), rank, move, from_is,
                                           std::array{state.now.send, state.now.receive}));
  }

  // Adds a local move at the end of this level, after everything that `rank` did in it.
  OpId copy(Rank rank, const Move& move) {
    State& state = touch(rank);
    return end_with(state, builder_.copy(end_label(), rank, move,
                                         std::array{state.now.send, state.now.receive}));
  }
  OpId copy(Rank rank, std::span<const BlockPair> blocks, Place from, Place into) {
    State& state = touch(rank);
    return end_with(state,
                    builder_.pairs(OpKind::copy, end_label(), rank, rank, from, into, blocks,
                                   Operand::left, std::array{state.now.send, state.now.receive}));
  }

  // Adds a local move before the first level. The rank's first operations come after it.
  void copy_first(Rank rank, const Move& move) {
    TUTTI_INVARIANT(level_ < 0);
    state_of(rank).before.receive = builder_.copy({}, rank, move, {});
  }
  void copy_first(Rank rank, std::span<const BlockPair> blocks, Place from, Place into) {
    TUTTI_INVARIANT(level_ < 0);
    state_of(rank).before.receive =
        builder_.pairs(OpKind::copy, {}, rank, rank, from, into, blocks, Operand::left, {});
  }
  // Copies the vector at every rank, from input to work.
  void start_with_copy(const BlockSet& blocks) {
    for (const Rank rank : emitted_ranks()) {
      copy_first(rank, {blocks, kInput, kWork});
    }
  }

  // Returns the message that `rank` sent at this level, or kNoOp.
  [[nodiscard]] OpId sent(Rank rank) { return touch(rank).now.send; }

 private:
  struct Ops {
    OpId send = kNoOp;
    OpId receive = kNoOp;  // the received message, or its reduction
    // The sender. If only a part is emitted: the sender of the message to the class's first rank.
    Rank from = 0;
  };
  struct State {
    Ops before;
    Ops now;
    std::int64_t level = -1;
  };

  template <typename Emit>
  OpId exchange(Rank src, Rank dst, Emit&& emit) {
    State& sender = touch(src);
    State& receiver = touch(dst);
    const std::array after{sender.before.send, sender.before.receive, receiver.before.send,
                           receiver.before.receive};
    TUTTI_INVARIANT(sender.now.send == kNoOp && receiver.now.receive == kNoOp);
    const OpId id = emit(after);
    sender.now.send = id;
    receiver.now.receive = id;
    if (classes_ != nullptr) [[unlikely]] {
      count_in_part(sender.before, receiver.before, src, dst);
      count_in_part(receiver.before, sender.before, dst, src);
      receiver.now.from = moved(src, dst, classes_->first_of(dst));
    }
    return id;
  }

  // In a part, each operation represents one operation at each rank of its class. If the new
  // message depends at both its ends on the same older message from `a` to `b`, this is one
  // dependency in the whole schedule, but it is counted twice here. Subtracts the second count.
  void count_in_part(const Ops& of_a, const Ops& of_b, Rank a, Rank b) {
    if (of_a.send != kNoOp && of_a.send == of_b.receive &&
        moved(of_b.from, classes_->first_of(b), b) == a) {
      builder_.count_less(1);
    }
  }
  // Returns the rank to which the symmetry that moves `from` to `to` moves `rank`.
  [[nodiscard]] Rank moved(Rank rank, Rank from, Rank to) const {
    const std::uint32_t p = builder_.ranks();
    return move_by(classes_->symmetry(), rank, shift(classes_->symmetry(), from, to, p), p);
  }

  // Operations at the end of a level are labelled with the segment number plus 1, which
  // distinguishes them from the level's reduction, and from a copy before the first level.
  [[nodiscard]] Label end_label() const { return {label_.level, label_.segment + 1}; }

  // Makes `id` represent the whole level at its rank, because `id` comes after all other operations
  // of the level.
  static OpId end_with(State& state, OpId id) {
    state.now = {kNoOp, id};
    return id;
  }

  State& state_of(Rank rank) {
    return ranks_[classes_ == nullptr ? rank : classes_->class_of(rank)];
  }
  State& touch(Rank rank) {
    State& state = state_of(rank);
    if (state.level != level_) {
      if (state.level >= 0) {
        state.before = state.now;
      }
      state.now = {};
      state.level = level_;
    }
    return state;
  }

  ScheduleBuilder& builder_;
  const RankClasses* classes_;  // null if the operations of all ranks are emitted
  // One state per rank, or per class if only a part is emitted.
  std::vector<State> ranks_;
  std::int64_t level_ = -1;
  Label label_;
};

}}  // namespace tutti::schedules
