#include "tests/schedules/explore/full_search.hpp"

#include <string_view>
#include <unordered_set>
#include <vector>

#include "tests/schedules/explore/places.hpp"

namespace tutti::explore {

namespace {

// Flags for what has happened to one operation. A local operation uses only kLocalDone.
enum Progress : std::uint8_t {
  kSendPosted = 1,
  kRead = 2,
  kSendDone = 4,
  kRecvPosted = 8,
  kRecvDone = 16,
  kWaits = 32,  // the send is not eager: it waits for its receiver
  kLocalDone = 64,
};

// State of one rank in a barrier.
enum Presence : std::uint8_t { kOutside, kEntered, kLeft };

struct Machine {
  std::vector<std::uint8_t> progress;         // flags of each operation, from Progress
  std::vector<Value> memory;                  // value of each place
  std::vector<std::vector<Value>> in_flight;  // contents of each message, while it is in flight
  std::vector<std::uint8_t> presence;         // Presence of each rank; used for barriers only

  [[nodiscard]] bool has(std::uint32_t op, std::uint8_t what) const {
    return (progress[op] & what) != 0;
  }
};

class FullSearch {
 public:
  FullSearch(const Draft& draft, Sameness sameness, Protocol protocol, std::uint64_t max_states)
      : draft_(draft),
        protocol_(protocol),
        max_states_(max_states),
        places_(draft),
        values_(sameness),
        first_seen_(2 * draft.ops.size(), std::vector<bool>(2 * draft.ops.size(), false)) {}

  FullFinding run() {
    Machine start;
    start.progress.assign(draft_.ops.size(), 0);
    start.memory = places_.initial(values_);
    start.in_flight.resize(draft_.ops.size());
    start.presence.assign(draft_.ranks(), is_barrier() ? kOutside : kEntered);
    std::vector<Machine> left{start};
    remember(start);
    while (!left.empty()) {
      const Machine machine = std::move(left.back());
      left.pop_back();
      if (++finding_.states > max_states_) {
        finding_.exhausted = false;
        break;
      }
      bool moved = false;
      step_everywhere(machine, [&](Machine next) {
        moved = true;
        if (remember(next)) {
          left.push_back(std::move(next));
        }
      });
      if (!moved) {
        finish(machine);
      }
    }
    for (std::uint32_t a = 0; a < first_seen_.size(); ++a) {
      for (std::uint32_t b = 0; b < a; ++b) {
        if (first_seen_[a][b] && first_seen_[b][a]) {
          finding_.races.emplace(b / 2, a / 2);
        }
      }
    }
    return std::move(finding_);
  }

 private:
  // Returns true if operation `id` has ended at `rank`. Nothing else about operations is visible to
  // a rank.
  [[nodiscard]] bool over_at(const Machine& machine, std::uint32_t id, Rank rank) const {
    const DraftOp& op = draft_.ops[id];
    if (op.kind != OpKind::comm) {
      return machine.has(id, kLocalDone);
    }
    return machine.has(id, op.src == rank ? kSendDone : kRecvDone);
  }
  [[nodiscard]] bool is_barrier() const { return draft_.problem.collective == Collective::barrier; }
  [[nodiscard]] bool may_leave(const Machine& machine, Rank rank) const {
    for (std::uint32_t id = 0; id < draft_.ops.size(); ++id) {
      if (draft_.ops[id].touches(rank) && !over_at(machine, id, rank)) {
        return false;
      }
    }
    return machine.presence[rank] == kEntered;
  }
  [[nodiscard]] bool may_start_at(const Machine& machine, std::uint32_t id, Rank rank) const {
    if (machine.presence[rank] == kOutside) {
      return false;
    }
    for (const std::uint32_t earlier : draft_.ops[id].after) {
      if (draft_.ops[earlier].touches(rank) && !over_at(machine, earlier, rank)) {
        return false;
      }
    }
    return true;
  }

  template <typename Visit>
  void step_everywhere(const Machine& machine, Visit&& visit) {
    for (Rank rank = 0; rank < draft_.ranks() && is_barrier(); ++rank) {
      Machine next = machine;
      if (machine.presence[rank] == kOutside) {
        next.presence[rank] = kEntered;
        visit(std::move(next));
      } else if (may_leave(machine, rank)) {
        for (const std::uint8_t other : machine.presence) {
          finding_.wrong |= other == kOutside;
        }
        next.presence[rank] = kLeft;
        visit(std::move(next));
      }
    }
    for (std::uint32_t id = 0; id < draft_.ops.size(); ++id) {
      const DraftOp& op = draft_.ops[id];
      const auto go = [&](std::uint8_t what) {
        Machine next = machine;
        next.progress[id] = static_cast<std::uint8_t>(next.progress[id] | what);
        return next;
      };
      if (op.kind != OpKind::comm) {
        if (!machine.has(id, kLocalDone) && may_start_at(machine, id, op.src)) {
          Machine next = go(kLocalDone);
          note_order(machine, id, true, true);
          act_locally(next, id);
          visit(std::move(next));
        }
        continue;
      }
      if (!machine.has(id, kSendPosted) && may_start_at(machine, id, op.src)) {
        if (protocol_ != Protocol::waiting) {
          visit(go(kSendPosted));
        }
        if (protocol_ != Protocol::eager) {
          visit(go(kSendPosted | kWaits));
        }
      }
      if (!machine.has(id, kRecvPosted) && may_start_at(machine, id, op.dst)) {
        visit(go(kRecvPosted));
      }
      if (machine.has(id, kSendPosted) && !machine.has(id, kRead)) {
        Machine next = go(kRead);
        note_order(machine, id, true, false);
        for (const BlockPair& pair : op.pairs) {
          next.in_flight[id].push_back(load(next, places_.of(op.src, op.from, pair.from)));
        }
        visit(std::move(next));
      }
      if (machine.has(id, kRead) && !machine.has(id, kSendDone) &&
          (!machine.has(id, kWaits) || machine.has(id, kRecvPosted))) {
        visit(go(kSendDone));
      }
      if (machine.has(id, kRead) && machine.has(id, kRecvPosted) && !machine.has(id, kRecvDone)) {
        Machine next = go(kRecvDone);
        note_order(machine, id, false, true);
        for (std::size_t i = 0; i < op.pairs.size(); ++i) {
          next.memory[places_.of(op.dst, op.into, op.pairs[i].into)] = next.in_flight[id][i];
        }
        next.in_flight[id].clear();
        visit(std::move(next));
      }
    }
  }

  Value load(const Machine& machine, std::uint32_t place) {
    finding_.undefined_read |= machine.memory[place] == kUndefined && !is_barrier();
    return machine.memory[place];
  }

  void act_locally(Machine& machine, std::uint32_t id) {
    const DraftOp& op = draft_.ops[id];
    std::vector<Value> moved;
    moved.reserve(op.pairs.size());
    for (const BlockPair& pair : op.pairs) {
      moved.push_back(load(machine, places_.of(op.src, op.from, pair.from)));
    }
    for (std::size_t i = 0; i < op.pairs.size(); ++i) {
      const std::uint32_t place = places_.of(op.src, op.into, op.pairs[i].into);
      if (op.kind == OpKind::copy) {
        machine.memory[place] = moved[i];
      } else if (const Value old = load(machine, place); op.from_is == Operand::left) {
        machine.memory[place] = values_.combine(moved[i], old);
      } else {
        machine.memory[place] = values_.combine(old, moved[i]);
      }
    }
  }

  // Notes that operation `id`, which is about to access its source, its destination or both, comes
  // before every conflicting access that has not happened yet. The read and the write of a message
  // are separate accesses.
  void note_order(const Machine& machine, std::uint32_t id, bool reads, bool writes) {
    if (is_barrier()) {
      return;  // messages of a barrier carry nothing
    }
    const DraftOp& op = draft_.ops[id];
    const std::uint32_t mine = 2 * id + (reads ? 0 : 1);
    for (std::uint32_t other = 0; other < draft_.ops.size(); ++other) {
      if (other == id) {
        continue;
      }
      const DraftOp& rival = draft_.ops[other];
      const bool local = rival.kind != OpKind::comm;
      const bool will_read = !machine.has(other, local ? kLocalDone : kRead);
      const bool will_write = !machine.has(other, local ? kLocalDone : kRecvDone);
      const bool reading = !local && machine.has(other, kSendPosted) &&
                           !machine.has(other, kSendDone) && !machine.has(other, kRecvDone);
      const bool writing = !local && machine.has(other, kSendPosted) &&
                           machine.has(other, kRecvPosted) && !machine.has(other, kRecvDone);
      for (const BlockPair& pair : op.pairs) {
        for (const BlockPair& its : rival.pairs) {
          const std::uint32_t source = places_.of(op.src, op.from, pair.from);
          const std::uint32_t destination = places_.of(op.dst, op.into, pair.into);
          const std::uint32_t its_source = places_.of(rival.src, rival.from, its.from);
          const std::uint32_t its_destination = places_.of(rival.dst, rival.into, its.into);
          const bool at_its_destination =
              (reads && source == its_destination) || (writes && destination == its_destination);
          finding_.touches_pending |=
              (at_its_destination && writing) || (writes && destination == its_source && reading);
          if (will_write && at_its_destination) {
            first_seen_[mine][2 * other + (local ? 0 : 1)] = true;
          }
          if (will_read && writes && destination == its_source) {
            first_seen_[mine][2 * other] = true;
          }
        }
      }
    }
  }

  void finish(const Machine& machine) {
    for (std::uint32_t id = 0; id < draft_.ops.size(); ++id) {
      const DraftOp& op = draft_.ops[id];
      if (!over_at(machine, id, op.src) || !over_at(machine, id, op.dst)) {
        finding_.stuck = true;
        return;
      }
    }
    std::vector<Value> result;
    for (const Places::Demanded& demanded : places_.demanded()) {
      result.push_back(machine.memory[demanded.place]);
      finding_.wrong |= !values_.meets(result.back(), demanded.demand, draft_.ranks());
    }
    finding_.results.insert(values_.to_string(result));
  }

  bool remember(const Machine& machine) {
    std::u32string key(machine.progress.begin(), machine.progress.end());
    key.append(machine.presence.begin(), machine.presence.end());
    key.append(machine.memory.begin(), machine.memory.end());
    for (const auto& values : machine.in_flight) {
      key.append(values.begin(), values.end());
      key.push_back(0xffffffffU);
    }
    return seen_.insert(std::move(key)).second;
  }

  const Draft& draft_;
  const Protocol protocol_;
  const std::uint64_t max_states_;
  const Places places_;
  Values values_;
  // True at [a][b] if in some order access a came before access b. Access 2 * id is the read of the
  // message `id`, or all accesses of a local operation `id`; access 2 * id + 1 is the write of the
  // message.
  std::vector<std::vector<bool>> first_seen_;
  std::unordered_set<std::u32string> seen_;
  FullFinding finding_;
};

}  // namespace

FullFinding search_fully(const Draft& draft, Sameness sameness, Protocol protocol,
                         std::uint64_t max_states) {
  return FullSearch(draft, sameness, protocol, max_states).run();
}

}  // namespace tutti::explore
