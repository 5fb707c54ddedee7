// The messages and reductions of a node-aware algorithm, recorded before they are emitted, with the
// scratch slots that they use. A message goes into a slot that its receiver does not use yet; who
// has read a slot for the last time releases it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules {

using MaybePlace = std::optional<Place>;

class NodeSteps {
 public:
  explicit NodeSteps(std::uint32_t ranks) : used_(ranks), local_(ranks), messages_(2 * ranks) {}

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(used_.size()); }

  void next_phase() {
    ++phase_;
    std::fill(local_.begin(), local_.end(), 0);
    std::fill(messages_.begin(), messages_.end(), 0);
  }
  // Returns the slot into which the message goes.
  Place send(Rank src, Rank dst, Place from, std::uint32_t segment) {
    std::vector<bool>& used = used_[dst];
    const auto slot =
        static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
    used.resize(std::max(used.size(), slot + 1));
    used[slot] = true;
    const Place into{Buffer::scratch, static_cast<std::uint32_t>(slot)};
    steps_.push_back({OpKind::comm, phase_, segment, src, dst, from, into});
    most_ = std::max({most_, ++messages_[2 * src], ++messages_[2 * dst + 1]});
    return into;
  }
  // The data in `from` are the left operand.
  void reduce(Rank rank, Place from, Place into) {
    steps_.push_back({OpKind::reduce, phase_, local_[rank]++, rank, rank, from, into});
  }
  void copy(Rank rank, Place from, Place into) {
    steps_.push_back({OpKind::copy, phase_, local_[rank]++, rank, rank, from, into});
  }
  // `place` may also be a buffer without slots, which is never released.
  void release(Rank rank, Place place) {
    if (place.buffer == Buffer::scratch) {
      used_[rank][place.slot] = false;
    }
  }
  // Adds the sum in the slot `from`, as the left operand, to the one in `into`, and releases the
  // slot. If there is no sum yet, `from` becomes this sum.
  void move_into(Rank rank, Place from, MaybePlace& into) {
    if (into) {
      reduce(rank, from, *into);
      release(rank, from);
    } else {
      into = from;
    }
  }

  // Emits everything, as operations on the whole vector.
  void emit(ScheduleBuilder& builder) const;

 private:
  struct Step {
    OpKind kind;
    std::uint32_t phase;
    std::uint32_t segment;
    Rank src;
    Rank dst;
    Place from;
    Place into;
  };

  std::vector<Step> steps_;
  std::uint32_t phase_ = 0;
  std::uint32_t most_ = 0;               // messages that a rank sends or receives in a phase
  std::vector<std::vector<bool>> used_;  // the slots in use, by rank
  std::vector<std::uint32_t> local_;     // local operations of the phase, by rank
  std::vector<std::uint32_t> messages_;  // messages of the phase: sent and received, by rank
};

}}  // namespace tutti::schedules
