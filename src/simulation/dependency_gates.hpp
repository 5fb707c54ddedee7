// Computes when operations learn that their predecessors are done.
//
// An eager message (RunSetup::eager_bytes) is done for its sender when it starts, and its sender
// and its receiver wait for different predecessors. This class applies the rules of
// sim/dispatcher.hpp to the times of a finished run.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace simulation {

class DependencyGates {
 public:
  // `schedule` and `timeline` must outlive this object.
  DependencyGates(const Schedule& schedule, const Timeline& timeline, std::int64_t eager_bytes)
      : schedule_(schedule), timeline_(timeline), eager_bytes_(eager_bytes) {}

  [[nodiscard]] bool any_eager() const { return eager_bytes_ >= 0; }
  [[nodiscard]] bool is_eager(OpId id) const {
    const Op& op = schedule_.op(id);
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) <= eager_bytes_;
  }

  enum class At : std::uint8_t { start, end };

  // The last event that an operation waited for.
  struct Gate {
    OpId op = kNoOp;  // kNoOp: the operation waited for nothing
    At event = At::end;
    double at_s = 0;
  };

  // Calls visit(before, event) for each predecessor that an operation waits for before it starts.
  // Waiting for ports and cores is not included. `event` says whether the operation waits for the
  // predecessor's start or end.
  template <typename Visit>
  void each_before_start(OpId id, Visit&& visit) const {
    const Op& op = schedule_.op(id);
    const bool eager = is_eager(id);
    for (const OpId before : schedule_.predecessors(id)) {
      const Op& other = schedule_.op(before);
      if (!eager) {
        visit(before, is_eager(before) && !op.touches(other.dst()) ? At::start : At::end);
      } else if (other.touches(op.src()) || !other.touches(op.dst())) {
        visit(before, is_eager(before) && op.src() == other.src() ? At::start : At::end);
      }
    }
  }
  // Calls visit(before, event) for each predecessor that the receiver of an eager message waits for
  // before the message ends.
  template <typename Visit>
  void each_before_end(OpId id, Visit&& visit) const {
    const Op& op = schedule_.op(id);
    for (const OpId before : schedule_.predecessors(id)) {
      const Op& other = schedule_.op(before);
      if (other.touches(op.dst())) {
        visit(before, is_eager(before) && op.dst() == other.src() ? At::start : At::end);
      }
    }
  }

  // Returns the last event that the operation waits for before it starts.
  [[nodiscard]] Gate start_gate(OpId id) const {
    Gate gate;
    each_before_start(id, [&](OpId before, At event) { keep_later(gate, before, event); });
    return gate;
  }
  // Returns the last event that the receiver of an eager message waits for before the message ends.
  // For other operations, returns a gate with kNoOp.
  [[nodiscard]] Gate receiver_gate(OpId id) const {
    Gate gate;
    if (is_eager(id)) {
      each_before_end(id, [&](OpId before, At event) { keep_later(gate, before, event); });
    }
    return gate;
  }

  [[nodiscard]] double seen_s(OpId before, At event) const {
    return event == At::start ? timeline_.start_s[before] : timeline_.end_s[before];
  }

 private:
  void keep_later(Gate& gate, OpId before, At event) const {
    if (const double at_s = seen_s(before, event); gate.op == kNoOp || at_s > gate.at_s) {
      gate = {before, event, at_s};
    }
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::int64_t eager_bytes_;
};

}}  // namespace tutti::simulation
