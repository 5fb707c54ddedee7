#include "sim/flow/flow_table.hpp"

#include <algorithm>
#include <utility>

namespace tutti { inline namespace sim {

namespace {

// A loop prefetches the data of the flow that is this many flows ahead.
constexpr std::size_t kAhead = 16;

// Memory is reserved for this many times the current number of flows, because more may come.
constexpr std::size_t kMoreToCome = 8;

// This number is never reached: each kind has its own RouteFigures object, so memory would run out
// earlier.
constexpr std::uint32_t kMostKinds = (1U << 30U) - 1;

}  // namespace

// Reserves memory for the largest arrays, because a growing array temporarily needs twice its
// memory. Reserves room for more flows than there are, because memory that is not touched costs
// nothing.
void FlowTable::start(std::size_t operations, std::size_t flows) {
  in_use_ = true;
  paths_.keep_few(true);
  outdated_ = false;
  slots_.resize(operations, kNone);
  const std::size_t most = std::min(operations, kMoreToCome * flows);
  flows_.reserve(most);
  ids_.reserve(most);
  members_.resize(paths_.links());
  gain_.resize(paths_.links(), 0);
  std::size_t hops = 0;
  for (std::uint32_t index = 0; index < paths_.links(); ++index) {
    hops += links_[index].flows;
    members_[index].reserve(paths_.link(index).fatpipe ? 0 : links_[index].flows);
  }
  hops_.reserve(hops / flows * most + hops);
  for (std::uint32_t index = 0; index < paths_.links(); ++index) {
    if (links_[index].flows == 0 || paths_.link(index).fatpipe) {
      continue;
    }
    links_.flows(index).for_each([&](OpId id) {
      if (slots_[id] == kNone) {
        add(id, paths_.of(id));
      }
    });
  }
}

void FlowTable::stop() {
  in_use_ = false;
  paths_.keep_few(false);
  flows_.clear();
  ids_.clear();
  hops_.clear();
  free_.clear();
  moved_.clear();
}

void FlowTable::add(OpId id, const FlowPath& path) {
  if (members_.size() < paths_.links()) [[unlikely]] {
    members_.resize(paths_.links());
    gain_.resize(paths_.links(), 0);
  }
  const std::span<const Hop> hops = path.hops();
  const bool plain =
      std::all_of(hops.begin(), hops.end(), [](Hop hop) { return hop.consumption(false) == 1; });
  const std::uint32_t slot = slot_for(plain ? hops.size() : 2 * hops.size());
  slots_[id] = slot;
  ids_[slot] = id;
  Flow& flow = flows_[slot];
  flow.hops = static_cast<std::uint32_t>(hops.size());
  flow.plain = plain;
  flow.kind = kind_of(path) & kMostKinds;
  std::uint32_t* to = hops_.data() + flow.first_hop;
  for (const Hop hop : hops) {
    const std::uint32_t index = path.link(hop);
    *to++ = index;
    if (!paths_.link(index).fatpipe) {
      members_[index].push_back(slot);
    }
  }
  if (!plain) {
    for (const Hop hop : hops) {
      *to++ = hop.forward() << 16U | hop.backward();
    }
  }
  look(flow);
}

void FlowTable::remove(OpId id) {
  const std::uint32_t slot = std::exchange(slots_[id], kNone);
  if (slot == kNone) {
    return;  // the flow used only fat pipes
  }
  const Flow& flow = flows_[slot];
  for (const std::uint32_t link : links(flow)) {
    if (!paths_.link(link).fatpipe) {
      std::vector<std::uint32_t>& members = members_[link];
      *std::find(members.begin(), members.end(), slot) = members.back();
      members.pop_back();
    }
  }
  free_[flow.plain ? flow.hops : 2 * flow.hops].push_back(slot);
}

void FlowTable::prepare() {
  for (const std::uint32_t slot : moved_) {
    flows_[slot].moved = false;
  }
  moved_.clear();
  if (outdated_) {
    outdated_ = false;
    for (Flow& flow : flows_) {
      look(flow);
    }
  }
}

void FlowTable::read(std::uint32_t link, LinkFilling& filling) const {
  const std::span<const std::uint32_t> members = members_[link];
  const Flow* const flows = flows_.data();
  filling.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    __builtin_prefetch(flows + members[std::min(i + kAhead, members.size() - 1)]);
    const Flow& flow = flows[members[i]];
    filling.set(i, claim(flow, link), flow.but_for(link));
  }
}

void FlowTable::move(std::uint32_t link, double before, double level) {
  gaining_.clear();
  loosened_.clear();
  gain_[link] = kNotFull;  // keeps the link itself out of gaining_
  const double lowest = std::min(before, level);
  const std::span<const std::uint32_t> members = members_[link];
  Flow* const flows = flows_.data();
  for (std::size_t i = 0; i < members.size(); ++i) {
    __builtin_prefetch(flows + members[std::min(i + kAhead, members.size() - 1)]);
    const Flow& soon = flows[members[std::min(i + kAhead / 2, members.size() - 1)]];
    __builtin_prefetch(hops_.data() + soon.first_hop);
    const std::uint32_t slot = members[i];
    Flow& flow = flows[slot];
    if (flow.holder != link && flow.levels[1] < lowest) {
      // Two other levels limit the flow more than `link` does, both before and after the change.
      continue;
    }
    const double others = flow.but_for(link);
    if (others <= lowest) {
      stay_held(slot, link, before, level);
      continue;
    }
    const double more =
        kinds_[flow.kind].weight * (std::min(others, level) - std::min(others, before));
    const std::span<const std::uint32_t> on_way = links(flow);
    for (std::size_t hop = 0; hop < on_way.size(); ++hop) {
      double& gain = gain_[on_way[hop]];
      if (gain == 0) {
        gaining_.push_back(on_way[hop]);
      }
      gain += flow.plain ? more : consumption(flow, hop) * more;
    }
    const std::uint32_t holder = flow.holder;
    if (level < others) {
      flow.levels[0] = level;
      flow.levels[1] = others;
      flow.holder = link;
    } else {
      look(flow);
    }
    // If the levels are equal, either link may be the one that holds the flow back.
    if (flow.holder != holder || others <= before) {
      note_moved(slot);
    }
  }
  gain_[link] = 0;
}

// Updates a flow that something other than `link` held back before the level of `link` moved, and
// still holds back. If both had the same level before, the flow's note may still name `link`,
// although `link` no longer holds the flow back.
void FlowTable::stay_held(std::uint32_t slot, std::uint32_t link, double before, double level) {
  Flow& flow = flows_[slot];
  if (before <= flow.levels[0] && level > before) {
    note_moved(slot);
  }
  const std::uint32_t holder = flow.holder;
  if (holder == kNone) {
    return;  // the flow runs at full speed
  }
  const double second = flow.levels[1];
  if (holder == link || (before <= second && level > before)) {
    look(flow);
  } else {
    flow.levels[1] = std::min(second, level);
  }
  if (flow.holder != kNone && (flow.holder != holder || flow.levels[1] != second)) {
    loosened_.push_back(flow.holder);
  }
}

void FlowTable::note_moved(std::uint32_t slot) {
  if (!flows_[slot].moved) {
    flows_[slot].moved = true;
    moved_.push_back(slot);
  }
}

inline void FlowTable::look(Flow& flow) const {
  double least = kinds_[flow.kind].own_level;
  double second = kNotFull;
  std::uint32_t holder = kNone;
  for (const std::uint32_t link : links(flow)) {
    const double level = links_.level(link);
    second = std::min(second, std::max(least, level));
    holder = level < least ? link : holder;
    least = std::min(least, level);
  }
  flow.levels[0] = least;
  flow.levels[1] = second;
  flow.holder = holder;
}

inline double FlowTable::claim(const Flow& flow, std::uint32_t link) const {
  const double weight = kinds_[flow.kind].weight;
  if (flow.plain) [[likely]] {
    return weight;
  }
  const std::span<const std::uint32_t> on_way = links(flow);
  const auto hop = std::find(on_way.begin(), on_way.end(), link) - on_way.begin();
  return consumption(flow, static_cast<std::size_t>(hop)) * weight;
}

std::uint32_t FlowTable::kind_of(const FlowPath& path) {
  const auto [entry, is_new] =
      kind_of_figures_.try_emplace(&path.figures(), static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) {
    kinds_.push_back({path.figures().weight, path.own_level()});
  }
  return entry->second;
}

// Returns a slot with a range of `room` entries in hops_. Reuses the slot of a finished flow with a
// range of this size if there is one.
std::uint32_t FlowTable::slot_for(std::size_t room) {
  if (free_.size() <= room) {
    free_.resize(room + 1);
  }
  if (!free_[room].empty()) {
    const std::uint32_t slot = free_[room].back();
    free_[room].pop_back();
    return slot;
  }
  flows_.push_back({.first_hop = static_cast<std::uint32_t>(hops_.size())});
  ids_.push_back(0);
  hops_.resize(hops_.size() + room);
  return static_cast<std::uint32_t>(flows_.size() - 1);
}

}}  // namespace tutti::sim
