// Algorithms in phases of several messages. All that a rank sends and receives in a phase starts
// together, after everything that it did in the last phase in which it was active. This models
// non-blocking sends and receives, followed by a wait for all of them. With one message in each
// direction, phases are the rounds of rounds.hpp.
//
// Messages of a phase that arrive at one rank need places of their own there, for instance scratch
// slots.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "schedules/builder.hpp"

namespace tutti { inline namespace schedules {

class Phases {
 public:
  // `most`: upper bound on the number of messages that a rank sends and receives in one phase.
  Phases(ScheduleBuilder& builder, std::size_t most)
      : builder_(builder),
        classes_(builder.takes_part() ? &builder.classes() : nullptr),
        most_(std::max<std::size_t>(most, 1)),
        states_(classes_ != nullptr ? classes_->count() : builder.ranks()),
        ops_(2 * most_ * states_.size()) {
    after_.reserve(2 * most_ + 1);
  }

  [[nodiscard]] RankRange emitted_ranks() const { return builder_.emitted_ranks(); }

  // Starts the next phase. The first phase has number 0.
  void next() { ++level_; }

  // Adds a message of this phase.
  OpId comm(Rank src, Rank dst, const Move& move, std::uint32_t segment = 0) {
    return exchange(src, dst, [&](std::span<const OpId> after) {
      return builder_.comm(label(segment), src, dst, move, after);
    });
  }
  // Adds a message of blocks that follow no regular pattern.
  OpId comm(Rank src, Rank dst, std::span<const BlockPair> blocks, Place from, Place into,
            std::uint32_t segment = 0) {
    return exchange(src, dst, [&](std::span<const OpId> after) {
      return builder_.pairs(OpKind::comm, label(segment), src, dst, from, into, blocks,
                            Operand::left, after);
    });
  }

  // Adds a local operation at the end of this phase. It depends on everything that `rank` did in
  // the phase, or, if it did nothing, in its last one. Operations of later phases depend on this
  // operation alone.
  void reduce(Rank rank, const Move& move, Operand from_is, std::uint32_t segment = 0) {
    State& state = touch(rank);
    end_with(state, builder_.reduce(label(segment), rank, move, from_is, all_of(state)));
  }
  void reduce(Rank rank, std::span<const BlockPair> blocks, Place from, Place into, Operand from_is,
              std::uint32_t segment = 0) {
    State& state = touch(rank);
    end_with(state, builder_.pairs(OpKind::reduce, label(segment), rank, rank, from, into, blocks,
                                   from_is, all_of(state)));
  }
  // Adds a reduction after everything that `rank` did in this phase, for which the messages of the
  // next phase do not wait; the rank's local operations of the next phase do.
  void reduce_beside(Rank rank, const Move& move, Operand from_is, std::uint32_t segment) {
    State& state = touch(rank);
    state.beside = builder_.reduce(label(segment), rank, move, from_is, all_of(state));
  }
  void copy(Rank rank, const Move& move, std::uint32_t segment) {
    State& state = touch(rank);
    end_with(state, builder_.copy(label(segment), rank, move, all_of(state)));
  }

  // Adds a local move before the first phase. The rank's first operations come after it.
  void copy_first(Rank rank, const Move& move) {
    TUTTI_INVARIANT(level_ < 0);
    State& state = state_of(rank);
    add(state, {builder_.copy({}, rank, move, {}), kSent});
    state.now_is ^= 1U;
  }

 private:
  static constexpr Rank kSent = 0xffffffffU;
  struct EmittedOp {
    OpId id = kNoOp;
    // The sender of a received message; kSent for all other operations. If only a part is emitted:
    // the sender of the message to the class's first rank.
    Rank from = kSent;
  };
  struct State {
    std::int64_t level = -1;
    std::array<std::uint32_t, 2> count{};
    // Index of this phase's list. The other list is that of the phase before.
    std::uint32_t now_is = 0;
    // An operation that only the rank's local operations of the next phase wait for; or kNoOp.
    OpId beside = kNoOp;
  };

  template <typename Emit>
  OpId exchange(Rank src, Rank dst, Emit&& emit) {
    State& sender = touch(src);
    State& receiver = touch(dst);
    const std::span<const EmittedOp> of_sender = before(sender);
    const std::span<const EmittedOp> of_receiver = before(receiver);
    after_.clear();
    // Both lists are sorted by id, and so is the merged one.
    auto other = of_receiver.begin();
    for (const EmittedOp& done : of_sender) {
      for (; other != of_receiver.end() && other->id < done.id; ++other) {
        after_.push_back(other->id);
      }
      after_.push_back(done.id);
    }
    for (; other != of_receiver.end(); ++other) {
      after_.push_back(other->id);
    }
    const OpId id = emit(after_);
    if (classes_ != nullptr) [[unlikely]] {
      count_in_part(of_sender, of_receiver, src, dst);
      count_in_part(of_receiver, of_sender, dst, src);
      add(sender, {id, kSent});
      add(receiver, {id, moved(src, dst, classes_->first_of(dst))});
    } else {
      add(sender, {id, kSent});
      add(receiver, {id, src});
    }
    return id;
  }

  [[nodiscard]] Label label(std::uint32_t segment) const {
    return {static_cast<std::uint32_t>(level_), segment};
  }

  [[nodiscard]] EmittedOp* ops_of(const State& state, std::uint32_t side) {
    const auto index = static_cast<std::size_t>(&state - states_.data());
    return ops_.data() + (2 * index + side) * most_;
  }
  [[nodiscard]] std::span<const EmittedOp> before(const State& state) {
    const std::uint32_t side = state.now_is ^ 1U;
    return {ops_of(state, side), state.count[side]};
  }
  void add(State& state, EmittedOp done) {
    std::uint32_t& count = state.count[state.now_is];
    TUTTI_INVARIANT(count < most_);
    ops_of(state, state.now_is)[count++] = done;
  }
  [[nodiscard]] std::span<const OpId> all_of(const State& state) {
    const std::uint32_t side = state.count[state.now_is] > 0 ? state.now_is : state.now_is ^ 1U;
    const EmittedOp* ops = ops_of(state, side);
    after_.assign(1, state.beside);
    for (std::uint32_t i = 0; i < state.count[side]; ++i) {
      after_.push_back(ops[i].id);
    }
    return after_;
  }
  void end_with(State& state, OpId id) {
    state.count[state.now_is] = 0;
    state.beside = kNoOp;
    add(state, {id, kSent});
  }

  // In a part, each operation represents one operation at each rank of its class. If the new
  // message depends at both its ends on the same older message from `a` to `b`, this is one
  // dependency in the whole schedule, but it is counted twice here. Subtracts the second count.
  void count_in_part(std::span<const EmittedOp> of_a, std::span<const EmittedOp> of_b, Rank a,
                     Rank b) {
    for (const EmittedOp& sent : of_a) {
      for (const EmittedOp& received : of_b) {
        if (sent.from == kSent && received.from != kSent && sent.id == received.id &&
            moved(received.from, classes_->first_of(b), b) == a) {
          builder_.count_less(1);
        }
      }
    }
  }
  // Returns the rank to which the symmetry that moves `from` to `to` moves `rank`.
  [[nodiscard]] Rank moved(Rank rank, Rank from, Rank to) const {
    const std::uint32_t p = builder_.ranks();
    return move_by(classes_->symmetry(), rank, shift(classes_->symmetry(), from, to, p), p);
  }

  State& state_of(Rank rank) {
    return states_[classes_ == nullptr ? rank : classes_->class_of(rank)];
  }
  State& touch(Rank rank) {
    State& state = state_of(rank);
    if (state.level != level_) {
      if (state.level >= 0) {
        state.now_is ^= 1U;
      }
      state.count[state.now_is] = 0;
      state.level = level_;
    }
    return state;
  }

  ScheduleBuilder& builder_;
  const RankClasses* classes_;  // null if the operations of all ranks are emitted
  std::size_t most_;
  // One state per rank, or per class if only a part is emitted.
  std::vector<State> states_;
  // For each state: two lists with room for `most_` entries each.
  std::vector<EmittedOp> ops_;
  std::vector<OpId> after_;
  std::int64_t level_ = -1;
};

}}  // namespace tutti::schedules
