#include "sim/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/error.hpp"
#include "base/large_array.hpp"

namespace tutti::inline sim {

namespace {

// Number of ports or cores if they are unlimited: more than there are operations.
constexpr std::uint32_t kNoEnd = kNoOp;

std::string label_of(const Op& op) {
  const Label label = op.label();
  return op.is_comm()
             ? fmt::format("Req(<{},{}>,{{{},{}}})", label.level, label.segment, op.src(), op.dst())
             : fmt::format("Req(<{},{}>,{{{}}})", label.level, label.segment, op.rank());
}

// True if the sender of the eager message `op` waits for `before`. In unverified schedules,
// `before` may share no rank with the message; the sender then waits for it.
bool sender_waits(const Op& before, const Op& op) {
  return before.touches(op.src()) || !before.touches(op.dst());
}

}  // namespace

Dispatcher::Dispatcher(const Schedule& schedule, const RunSetup& setup,
                       const std::vector<bool>& by_core)
    : schedule_(schedule),
      places_(schedule.places()),
      by_core_(by_core),
      limited_(setup.ports != kUnlimitedPorts),
      eager_bytes_(setup.eager_bytes),
      eager_takes_ports_(setup.eager_takes_ports) {
  TUTTI_INVARIANT(places_ <= std::numeric_limits<std::uint32_t>::max() / 3);
  const std::size_t resources = std::size_t{3} * places_;
  reserve_large(waits_for_, schedule.size());
  waits_for_.resize(schedule.size());
  any_eager_ = eager_bytes_ >= 0 && std::any_of(schedule.ops().begin(), schedule.ops().end(),
                                                [this](const Op& op) { return is_eager(op); });
  if (any_eager_) {
    receive_waits_.resize(schedule.size());
    arrived_.resize(schedule.size());
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (any_eager_ && is_eager(schedule.op(id))) {
      for (const OpId before : schedule.predecessors(id)) {
        waits_for_[id] += sender_waits(schedule.op(before), schedule.op(id)) ? 1 : 0;
        receive_waits_[id] += schedule.op(before).touches(schedule.op(id).dst()) ? 1 : 0;
      }
    } else {
      waits_for_[id] = static_cast<std::uint32_t>(schedule.predecessors(id).size());
    }
  }
  if (setup.disturbance.late()) {
    hold_back(setup.disturbance);
  }
  free_.assign(resources, setup.ports);
  for (std::uint32_t place = schedule.ranks(); place < places_; ++place) {
    free_[place] = free_[places_ + place] = kNoEnd;
  }
  std::fill(free_.begin() + 2 * std::ptrdiff_t{places_}, free_.end(), 1);
  queues_.resize(resources);
  with_room_.fill(places_);
  freed_mark_.assign(resources, 0);
}

void Dispatcher::hold_back(const Disturbance& disturbance) {
  for (OpId id = 0; id < schedule_.size(); ++id) {
    const Op& op = schedule_.op(id);
    const auto hold_back_for = [&](Rank rank, std::vector<std::uint32_t>& waits) {
      const auto before = schedule_.predecessors(id);
      // A switch is never late.
      if (rank < schedule_.ranks() && disturbance.late_of(rank) > 0 &&
          std::none_of(before.begin(), before.end(),
                       [&](OpId other) { return schedule_.op(other).touches(rank); })) {
        held_back_.emplace_back(rank, id);
        ++waits[id];
      }
    };
    if (!op.is_comm()) {
      hold_back_for(op.rank(), waits_for_);
      continue;
    }
    hold_back_for(op.src(), waits_for_);
    if (op.dst() != op.src()) {
      hold_back_for(op.dst(), any_eager_ && is_eager(op) ? receive_waits_ : waits_for_);
    }
  }
  std::sort(held_back_.begin(), held_back_.end());
  for (std::size_t i = 0; i < held_back_.size(); ++i) {
    const Rank rank = held_back_[i].first;
    if (i == 0 || rank != held_back_[i - 1].first) {
      arrivals_.emplace_back(disturbance.late_of(rank), rank);
    }
  }
  std::sort(arrivals_.begin(), arrivals_.end(), std::greater<>());
}

void Dispatcher::arrive(Rank rank) {
  for (auto at = std::lower_bound(held_back_.begin(), held_back_.end(), std::pair{rank, OpId{0}});
       at != held_back_.end() && at->first == rank; ++at) {
    const OpId id = at->second;
    const Op& op = schedule_.op(id);
    if (any_eager_ && is_eager(op) && rank == op.dst() && rank != op.src()) {
      if (--receive_waits_[id] == 0 && arrived_[id] != 0) {
        late_.push_back(id);
      }
    } else if (--waits_for_[id] == 0) {
      ready_.push_back(id);
    }
  }
}

void Dispatcher::carry(OpId id, When when, std::vector<OpId>& ready) {
  const Op& op = schedule_.op(id);
  const bool eager = is_eager(op);
  // An eager message releases operations of its sender when it starts, and all other operations
  // when it ends.
  const auto heard_by = [&](Rank rank) {
    return eager && rank == op.src() ? When::start : When::end;
  };
  for (const OpId successor : schedule_.successors(id)) {
    const Op& next = schedule_.op(successor);
    if (!is_eager(next)) {
      // Both ranks of a message that is not eager must be ready before it starts.
      const When heard = eager && !next.touches(op.dst()) ? When::start : When::end;
      if (heard == when && --waits_for_[successor] == 0) {
        ready.push_back(successor);
      }
      continue;
    }
    if (sender_waits(op, next) && heard_by(next.src()) == when && --waits_for_[successor] == 0) {
      ready.push_back(successor);
    }
    if (op.touches(next.dst()) && heard_by(next.dst()) == when &&
        --receive_waits_[successor] == 0 && arrived_[successor] != 0) {
      late_.push_back(successor);
    }
  }
}

std::string Dispatcher::describe_unfinished() const {
  for (OpId id = 0; id < schedule_.size(); ++id) {
    if (waits_for_[id] > 0) {
      for (const OpId dependency : schedule_.predecessors(id)) {
        if (waits_for_[dependency] == 0) {
          return fmt::format("{} of {} operations did not finish: {} waits for {}",
                             schedule_.size() - done_, schedule_.size(), label_of(schedule_.op(id)),
                             label_of(schedule_.op(dependency)));
        }
      }
    }
  }
  return fmt::format("{} of {} operations did not finish", schedule_.size() - done_,
                     schedule_.size());
}

}  // namespace tutti::inline sim
