#include "tests/schedules/explore/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "tests/schedules/explore/bits.hpp"
#include "tests/schedules/explore/event_graph.hpp"
#include "tests/schedules/explore/memory_order.hpp"
#include "tests/schedules/explore/places.hpp"

namespace tutti::explore {

namespace {

constexpr std::size_t kMaxResults = 8;

// Contents of memory and of the messages in flight, and the events taken so far.
struct State {
  std::vector<Value> memory;  // value of each place
  // Contents of messages, one value per pair of blocks; kUndefined unless the message is in flight.
  // MemoryOrder::carried_at has the index of each message.
  std::vector<Value> carried;
  std::vector<bool> taken;           // for each memory event, true if the search has taken it
  std::vector<std::uint32_t> waits;  // for each memory event, number of predecessors not yet taken
};

struct KeyHash {
  std::size_t operator()(const std::vector<std::uint32_t>& key) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (const std::uint32_t word : key) {
      hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32U;
    }
    return hash;
  }
};

class Search {
 public:
  Search(const Draft& draft, const SearchOptions& options)
      : draft_(draft), options_(options), places_(draft), values_(options.sameness) {}

  Finding run() {
    const EventGraph waiting(draft_, true);
    if (!waiting.stuck().empty()) {
      // Eager sends might get further, but the network may make every send wait for its receiver.
      finding_.stuck = waiting.stuck();
      finding_.what = "stuck: " + to_string(draft_.ops[finding_.stuck.front()]);
      finding_.exhausted = true;
      return std::move(finding_);
    }
    const EventGraph eager(draft_, false);
    if (draft_.problem.collective == Collective::barrier) {
      listen(eager);
      finding_.exhausted = true;
      return std::move(finding_);
    }
    order_ = memory_order_of(draft_, places_, eager);
    finding_.races = order_.racing_ops;
    State state;
    state.memory = places_.initial(values_);
    state.carried.assign(order_.carried_at.back(), kUndefined);
    state.taken.assign(order_.events.size(), false);
    for (const Bits& before : order_.before) {
      std::uint32_t waits = 0;
      before.for_each([&](std::uint32_t) { ++waits; });
      state.waits.push_back(waits);
    }
    finding_.exhausted = true;
    visit(std::move(state));
    if (options_.stop_at_harm && finding_.harmful()) {
      finding_.exhausted = false;
    }
    return std::move(finding_);
  }

 private:
  // For a barrier: checks that each rank, when it leaves, has heard of all other ranks in every
  // order of the events.
  void listen(const EventGraph& graph) {
    const auto rank_of = [&](std::uint32_t event) {
      const DraftOp& op = draft_.ops[event / kMoments];
      return event % kMoments <= send_done ? op.src : op.dst;
    };
    std::vector<Bits> heard(graph.size(), Bits(draft_.ranks()));
    std::vector<Bits> at_exit(draft_.ranks(), Bits(draft_.ranks()));
    for (const std::uint32_t event : graph.sorted()) {
      heard[event].add(rank_of(event));
      for (const std::uint32_t first : graph.before(event)) {
        heard[event] |= heard[first];
      }
      at_exit[rank_of(event)] |= heard[event];
    }
    for (Rank rank = 0; rank < draft_.ranks(); ++rank) {
      for (Rank other = 0; other < draft_.ranks(); ++other) {
        if (rank != other && !at_exit[rank].has(other) && finding_.what.empty()) {
          finding_.wrong = true;
          finding_.what = fmt::format("rank {} may leave before rank {} has entered", rank, other);
        }
      }
    }
    finding_.ends = 1;
    finding_.results.emplace_back();
  }

  [[nodiscard]] bool over() const {
    return !finding_.exhausted || (options_.stop_at_harm && finding_.harmful());
  }

  void blame(std::string_view harm, std::uint32_t op) {
    if (finding_.what.empty()) {
      finding_.what = fmt::format("{}: {}", harm, to_string(draft_.ops[op]));
    }
  }

  Value taken_from(const State& state, std::uint32_t place, std::uint32_t op) {
    const Value value = state.memory[place];
    if (value == kUndefined) {
      finding_.undefined_read = true;
      blame("reads a block that was never written", op);
    }
    return value;
  }

  // Takes an event as one atomic step that reads everything before it writes anything.
  void take(State& state, std::uint32_t event) {
    const auto [id, moment] = order_.events[event];
    const DraftOp& op = draft_.ops[id];
    const bool comm = op.kind == OpKind::comm;
    std::vector<Value> moved;
    if (moment != recv_done) {
      for (const BlockPair& pair : op.pairs) {
        moved.push_back(taken_from(state, places_.of(op.src, op.from, pair.from), id));
      }
    }
    const auto carried = state.carried.begin() + order_.carried_at[id];
    if (comm && moment == read) {
      std::copy(moved.begin(), moved.end(), carried);
    } else {
      for (std::size_t i = 0; i < op.pairs.size(); ++i) {
        const std::uint32_t place = places_.of(op.dst, op.into, op.pairs[i].into);
        Value& into = state.memory[place];
        if (comm) {
          into = std::exchange(*(carried + static_cast<std::ptrdiff_t>(i)), kUndefined);
        } else if (op.kind == OpKind::copy) {
          into = moved[i];
        } else {
          const Value old = taken_from(state, place, id);
          into = op.from_is == Operand::left ? values_.combine(moved[i], old)
                                             : values_.combine(old, moved[i]);
        }
      }
    }
    state.taken[event] = true;
    order_.after[event].for_each([&](std::uint32_t next) { --state.waits[next]; });
  }

  [[nodiscard]] static bool enabled(const State& state, std::uint32_t event) {
    return !state.taken[event] && state.waits[event] == 0;
  }

  // Returns the enabled events of the smallest stubborn set that grows from one enabled event.
  [[nodiscard]] std::vector<std::uint32_t> choices(const State& state) const {
    std::vector<std::uint32_t> best;
    for (std::uint32_t seed = 0; seed < order_.events.size() && best.size() != 1; ++seed) {
      if (!enabled(state, seed)) {
        continue;
      }
      std::vector<std::uint32_t> set{seed};
      std::vector<bool> in_set(order_.events.size(), false);
      in_set[seed] = true;
      const auto add = [&](std::uint32_t event) {
        if (!in_set[event]) {
          in_set[event] = true;
          set.push_back(event);
        }
      };
      std::vector<std::uint32_t> found;
      for (std::size_t i = 0; i < set.size(); ++i) {
        const std::uint32_t event = set[i];
        if (state.waits[event] == 0) {
          found.push_back(event);
          for (const std::uint32_t other : order_.races[event]) {
            if (!state.taken[other]) {
              add(other);
            }
          }
          continue;
        }
        // `event` is not enabled, so the set must contain one event that comes before it. Chooses
        // an enabled one, preferably one that is already in the set.
        std::uint32_t first = kNoOp;
        order_.before[event].for_each([&](std::uint32_t candidate) {
          if (enabled(state, candidate) &&
              (first == kNoOp || (in_set[candidate] && !in_set[first]))) {
            first = candidate;
          }
        });
        add(first);
      }
      if (best.empty() || found.size() < best.size()) {
        best = std::move(found);
      }
    }
    // Sorts the events in the order of the schedule, so that the execution in this order is
    // explored first.
    std::sort(best.begin(), best.end());
    return best;
  }

  // Returns the part of the state that can still influence a result, to recognise equivalent
  // states.
  [[nodiscard]] std::vector<std::uint32_t> key(const State& state) const {
    std::vector<std::uint32_t> words = state.memory;
    for (std::uint32_t place = 0; place < words.size(); ++place) {
      const auto& readers = order_.readers[place];
      if (std::all_of(readers.begin(), readers.end(),
                      [&](std::uint32_t event) { return bool{state.taken[event]}; }) &&
          !is_demanded(place)) {
        words[place] = kUndefined;
      }
    }
    words.insert(words.end(), state.carried.begin(), state.carried.end());
    std::uint32_t word = 0;
    for (std::size_t event = 0; event < state.taken.size(); ++event) {
      word = word << 1U | (state.taken[event] ? 1U : 0U);
      if (event % 32 == 31 || event + 1 == state.taken.size()) {
        words.push_back(word);
        word = 0;
      }
    }
    return words;
  }

  [[nodiscard]] bool is_demanded(std::uint32_t place) const {
    const auto& all = places_.demanded();
    const auto at = std::lower_bound(
        all.begin(), all.end(), place,
        [](const Places::DemandedValue& d, std::uint32_t p) { return d.place < p; });
    return at != all.end() && at->place == place;
  }

  void visit(State state) {
    // First takes all events for which there is no choice: an event that races with no untaken
    // event is a stubborn set by itself.
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::uint32_t event = 0; event < order_.events.size(); ++event) {
        if (enabled(state, event) &&
            std::all_of(order_.races[event].begin(), order_.races[event].end(),
                        [&](std::uint32_t other) { return bool{state.taken[other]}; })) {
          take(state, event);
          moved = true;
          if (over()) {
            return;
          }
        }
      }
    }
    const std::vector<std::uint32_t> next = choices(state);
    if (next.empty()) {
      judge_end(state);
      return;
    }
    if (next.size() > 1) {
      if (!seen_.insert(key(state)).second) {
        return;
      }
      if (++finding_.states > options_.max_states) {
        finding_.exhausted = false;
        return;
      }
    }
    for (const std::uint32_t event : next) {
      State following = state;
      take(following, event);
      if (over()) {
        return;
      }
      visit(std::move(following));
      if (over()) {
        return;
      }
    }
  }

  void judge_end(const State& state) {
    ++finding_.ends;
    std::vector<Value> result;
    for (const Places::DemandedValue& demanded : places_.demanded()) {
      const Value value = state.memory[demanded.place];
      result.push_back(value);
      if (!values_.meets(value, demanded.demand, draft_.ranks())) {
        finding_.wrong = true;
        if (finding_.what.empty()) {
          finding_.what = fmt::format("rank {} ends with {} in block {}", demanded.rank,
                                      values_.to_string(value), demanded.demand.block);
        }
      }
    }
    auto& results = finding_.results;
    if (results.size() < kMaxResults &&
        std::find(results.begin(), results.end(), result) == results.end()) {
      results.push_back(std::move(result));
      if (results.size() == 2 && finding_.what.empty()) {
        finding_.what = "two orders end with different results";
      }
    }
  }

  const Draft& draft_;
  const SearchOptions options_;
  const Places places_;
  Values values_;
  MemoryOrder order_;
  std::unordered_set<std::vector<std::uint32_t>, KeyHash> seen_;
  Finding finding_;
};

}  // namespace

Finding explore(const Draft& draft, const SearchOptions& options) {
  return Search(draft, options).run();
}

Sameness sameness_of(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.keeps_order != nullptr && algorithm.keeps_order(problem) ? Sameness::ordered
                                                                            : Sameness::commutative;
}

}  // namespace tutti::explore
