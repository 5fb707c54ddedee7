// When operations hear of what they come after.
//
// Where messages are eager (RunSetup::eager_bytes), what a rank sends is over for that rank when it
// starts, and the two ends of a message wait for things of their own; these are the rules of
// sim/dispatcher.hpp, told from times.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti {

class Heard {
 public:
  // Both must outlive it.
  Heard(const Schedule& schedule, const Timeline& timeline, std::int64_t eager_bytes)
      : schedule_(schedule), timeline_(timeline), eager_bytes_(eager_bytes) {}

  [[nodiscard]] bool any_eager() const { return eager_bytes_ >= 0; }
  [[nodiscard]] bool is_eager(OpId id) const {
    const Op& op = schedule_.op(id);
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) <= eager_bytes_;
  }

  enum class At : std::uint8_t { start, end };

  // The last of what an operation waited for.
  struct Gate {
    OpId op = kNoOp;  // none
    At heard = At::end;
    double at_s = 0;
  };

  // Before it could start, ports and cores aside.
  [[nodiscard]] Gate start_gate(OpId id) const {
    const Op& op = schedule_.op(id);
    const bool eager = is_eager(id);
    return last(id, [&](OpId before) -> Told {
      const Op& other = schedule_.op(before);
      if (!eager) {
        return {true, is_eager(before) && !op.touches(other.dst()) ? At::start : At::end};
      }
      return {sender_waits(id, before),
              is_eager(before) && op.src() == other.src() ? At::start : At::end};
    });
  }

  // Whether the sender of an eager message waits for `before`.
  [[nodiscard]] bool sender_waits(OpId id, OpId before) const {
    const Op& op = schedule_.op(id);
    const Op& other = schedule_.op(before);
    return other.touches(op.src()) || !other.touches(op.dst());
  }

  // Before an eager message that has arrived was over; no other operation has such a gate.
  [[nodiscard]] Gate receiver_gate(OpId id) const {
    if (!is_eager(id)) {
      return {};
    }
    const Op& op = schedule_.op(id);
    return last(id, [&](OpId before) -> Told {
      const Op& other = schedule_.op(before);
      return {other.touches(op.dst()),
              is_eager(before) && op.dst() == other.src() ? At::start : At::end};
    });
  }

 private:
  struct Told {
    bool waits = false;
    At heard = At::end;
  };

  template <typename Tell>
  [[nodiscard]] Gate last(OpId id, Tell&& tell) const {
    Gate gate;
    for (const OpId before : schedule_.predecessors(id)) {
      const Told told = tell(before);
      const double at_s =
          told.heard == At::start ? timeline_.start_s[before] : timeline_.end_s[before];
      if (told.waits && (gate.op == kNoOp || at_s > gate.at_s)) {
        gate = {before, told.heard, at_s};
      }
    }
    return gate;
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::int64_t eager_bytes_;
};

}  // namespace tutti
