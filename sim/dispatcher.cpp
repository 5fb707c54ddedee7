#include "sim/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/error.hpp"
#include "base/large_array.hpp"

namespace tutti { inline namespace sim {

namespace {

// Number of ports or cores if they are unlimited: more than there are operations.
constexpr std::uint32_t kNoEnd = kNoOp;

std::string label_of(const Op& op) {
  const Label label = op.label();
  return op.is_comm()
             ? fmt::format("Req(<{},{}>,{{{},{}}})", label.level, label.segment, op.src(), op.dst())
             : fmt::format("Req(<{},{}>,{{{}}})", label.level, label.segment, op.rank());
}

// A search that moves a group to another queue takes as long as this many lookups.
constexpr std::size_t kLookupsPerMove = 4;
// The bits of this many places are read as fast as one group is looked up.
constexpr std::size_t kPlacesPerLookup = 512;
// At most this many freed ports, or one more, are looked at to choose between lookups and searches.
constexpr std::size_t kSample = 32;

// An item of Dispatcher::offers_.
std::uint64_t offer(OpId id, std::uint32_t from) { return std::uint64_t{id} << 32U | from; }

std::uint64_t first_in_queue(const WaitingOps& waiting, std::uint32_t resource) {
  return offer(waiting.first(waiting.front(resource)), resource);
}

// Kind of the port that a message needs in addition to `port`.
std::uint32_t partner_kind(const Room& room, std::uint32_t port) {
  return room.kind(port) == Room::kOutgoing ? Room::kIncoming : Room::kOutgoing;
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
      further_units_(schedule.has_units()),
      resources_(number_resources()),
      limited_(setup.ports != kUnlimitedPorts),
      eager_bytes_(setup.eager_bytes),
      eager_takes_ports_(setup.eager_takes_ports),
      room_(places_, resources_),
      waiting_(waits_for_, resources_),
      pairs_(places_),
      keeps_pairs_(by_core.empty() && !further_units_ && pairs_.kept()) {
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
  for (std::uint32_t place = 0; place < places_; ++place) {
    const std::uint32_t ports = place < schedule.ranks() ? setup.ports : kNoEnd;
    room_.set(place, ports);
    room_.set(places_ + place, ports);
    room_.set(2 * places_ + place, 1);
    for (std::uint32_t core = 1; further_units_ && core <= further_[place].cores; ++core) {
      room_.set(core_of(place, core), 1);
    }
    for (std::uint32_t nic = 1; further_units_ && nic <= further_[place].nics; ++nic) {
      room_.set(port(Room::kOutgoing, place, nic), ports);
      room_.set(port(Room::kIncoming, place, nic), ports);
    }
  }
  unsearched_mark_.resize(resources_);
}

std::uint32_t Dispatcher::number_resources() {
  std::uint64_t count = std::uint64_t{3} * places_;
  if (further_units_) {
    further_.resize(places_);
    for (OpId id = 0; id < schedule_.size(); ++id) {
      const Op& op = schedule_.op(id);
      const Units units = schedule_.units(id);
      const auto use = [&](Rank place, std::uint32_t core, std::uint32_t nic) {
        further_[place].cores = std::max(further_[place].cores, core);
        further_[place].nics = std::max(further_[place].nics, nic);
      };
      use(op.src(), units.src_core, units.src_nic);
      use(op.dst(), units.dst_core, units.dst_nic);
    }
    for (Further& further : further_) {
      further.first = static_cast<std::uint32_t>(count);
      count += further.cores + std::uint64_t{2} * further.nics;
    }
  }
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError("the ranks have more processors and network interfaces than can be simulated");
  }
  return static_cast<std::uint32_t>(count);
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
  const auto end_seen_by = [&](Rank rank) {
    return eager && rank == op.src() ? When::start : When::end;
  };
  for (const OpId successor : schedule_.successors(id)) {
    const Op& next = schedule_.op(successor);
    if (!is_eager(next)) {
      // Both ranks of a message that is not eager must be ready before it starts.
      const When seen_at = eager && !next.touches(op.dst()) ? When::start : When::end;
      if (seen_at == when && --waits_for_[successor] == 0) {
        ready.push_back(successor);
      }
      continue;
    }
    if (sender_waits(op, next) && end_seen_by(next.src()) == when && --waits_for_[successor] == 0) {
      ready.push_back(successor);
    }
    if (op.touches(next.dst()) && end_seen_by(next.dst()) == when &&
        --receive_waits_[successor] == 0 && arrived_[successor] != 0) {
      late_.push_back(successor);
    }
  }
}

void Dispatcher::offer_freed() {
  if (freed_.empty()) {
    return;
  }
  by_group_ = by_core_.empty() && !further_units_ && lookups_pay();
  for (const std::uint32_t resource : freed_) {
    if (by_group_) {
      look_up(resource);
    }
    if (unsearched_mark_[resource] != 0 || waiting_.empty(resource)) {
      continue;
    }
    if (by_group_) {
      unsearched_mark_[resource] = 1;
      unsearched_.push_back(resource);
    } else {
      offers_.add(first_in_queue(waiting_, resource));
    }
  }
  freed_.clear();
  if (!by_group_) {
    for (const std::uint32_t resource : unsearched_) {
      unsearched_mark_[resource] = 0;
      if (room_.has(resource) && !waiting_.empty(resource)) {
        offers_.add(first_in_queue(waiting_, resource));
      }
    }
    unsearched_.clear();
  }
  offers_.sort();
}

bool Dispatcher::lookups_pay() {
  std::size_t lookups = 0;
  std::size_t moves = 0;  // groups that a search would move to other queues
  const std::size_t step = freed_.size() / kSample + 1;
  for (std::size_t i = 0; i < freed_.size(); ++i) {
    const std::uint32_t resource = freed_[i];
    if (room_.kind(resource) == Room::kCore) {
      return false;
    }
    if (i % step != 0) {
      continue;
    }
    const std::uint32_t kind = partner_kind(room_, resource);
    const std::size_t partners = room_.count(kind);
    lookups += keeps_pairs_ ? room_.count(kind, partners_of(resource)) + places_ / kPlacesPerLookup
                            : partners + places_ / 64;
    // A search ends when it finds a group whose other port has room.
    moves += std::min(waiting_.size(resource), places_ / (partners + 1));
  }
  lookups *= step;
  moves *= step;
  std::erase_if(unsearched_, [&](std::uint32_t resource) {
    if (room_.has(resource)) {
      moves += waiting_.size(resource);
      return false;
    }
    unsearched_mark_[resource] = 0;
    return true;
  });
  return lookups < kLookupsPerMove * moves;
}

std::span<const std::uint64_t> Dispatcher::partners_of(std::uint32_t port) const {
  if (!keeps_pairs_) {
    return {};
  }
  return room_.kind(port) == Room::kOutgoing ? pairs_.receivers(port)
                                             : pairs_.senders(port - places_);
}

void Dispatcher::look_up(std::uint32_t port) {
  const bool sends = room_.kind(port) == Room::kOutgoing;
  room_.for_each(partner_kind(room_, port), partners_of(port), [&](std::uint32_t place) {
    waiting_.find(
        sends ? key_of(port, place) : key_of(place, port - places_),
        [this](std::uint32_t group) { offers_.add(offer(waiting_.first(group), group)); });
  });
}

OpId Dispatcher::accept_looked_up() {
  const auto id = static_cast<OpId>(offers_.front() >> 32U);
  const auto group = static_cast<std::uint32_t>(offers_.front());
  if (waiting_.first(group) != id) {
    offers_.pop();  // the operation was offered for both of its ports, and has started
    return kNoOp;
  }
  if (const std::uint32_t lacking = lacks(id); lacking != kNothing) {
    waiting_.enqueue(group, lacking);
    offers_.pop();
    return kNoOp;
  }
  leave(id, group);
  if (waiting_.first(group) == kNoOp) {
    offers_.pop();
  } else {
    offers_.replace_front(offer(waiting_.first(group), group));
  }
  return id;
}

OpId Dispatcher::accept_from_queue() {
  const auto id = static_cast<OpId>(offers_.front() >> 32U);
  const auto resource = static_cast<std::uint32_t>(offers_.front());
  if (!room_.has(resource)) {
    offers_.pop();
    return kNoOp;
  }
  const std::uint32_t group = waiting_.front(resource);
  const std::uint32_t lacking = lacks(id);
  if (lacking == kNothing) {
    leave(id, group);
    if (waiting_.first(group) != kNoOp) {
      waiting_.enqueue(group, resource);
    }
  } else {
    waiting_.dequeue(resource);
    waiting_.enqueue(group, lacking);
  }
  if (room_.has(resource) && !waiting_.empty(resource)) {
    offers_.replace_front(first_in_queue(waiting_, resource));
  } else {
    offers_.pop();
  }
  return lacking == kNothing ? id : kNoOp;
}

std::string Dispatcher::describe_unfinished() {
  waiting_.clear();  // resets the numbers in waits_for_
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

}}  // namespace tutti::sim
