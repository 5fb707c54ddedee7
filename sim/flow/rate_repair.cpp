#include "sim/flow/rate_repair.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tutti {

namespace {

// Levels that are closer are the same but for rounding.
constexpr double kRounding = 1e-12;
// A level that moves by less moves nothing else.
constexpr double kStill = 1e-13;

bool is_still(double before, double level) {
  return before == level || (level != kNotFull && std::abs(before - level) <= kStill * level);
}

}  // namespace

bool RateRepair::solve(double now_s, std::span<const OpId> arrivals, std::size_t most_visits) {
  visits_ = 0;
  for (const std::uint32_t index : links_.touched()) {
    LinkLoads::Link& link = links_[index];
    if (link.flows == 0) {
      link.position = LinkLoads::kNone;
      continue;
    }
    link.position = static_cast<std::uint32_t>(work_.size());
    work_.push_back({.link = index, .touched = true, .waits = true, .level = link.level});
    order_.emplace_back(0, link.position);  // all alike: a heap
  }
  const bool settled = settle(most_visits);
  if (settled) {
    commit(now_s, arrivals);
  } else {
    abandon();
  }
  work_.clear();
  order_.clear();
  return settled;
}

bool RateRepair::settle(std::size_t most_visits) {
  while (!order_.empty()) {
    std::pop_heap(order_.begin(), order_.end(), std::greater<>());
    const auto [key, position] = order_.back();
    order_.pop_back();
    if (!work_[position].waits || work_[position].key != key) {
      continue;
    }
    const std::uint32_t link = work_[position].link;
    const double level = fill(link);
    if (visits_ > most_visits) {
      return false;
    }
    const double before = work_[position].level;
    const double lowest = std::min(before, level);
    if (!order_.empty() && lowest > order_.front().first) {  // not its turn yet
      work_[position].key = lowest;
      order_.emplace_back(lowest, position);
      std::push_heap(order_.begin(), order_.end(), std::greater<>());
      continue;
    }
    work_[position].waits = false;
    if (!is_still(before, level)) {
      work_[position].level = level;
      spread(link, before, level);
    }
  }
  return true;
}

// The level at which this link is full, others staying at theirs; kNotFull if it is not.
double RateRepair::fill(std::uint32_t link) {
  parts_.clear();
  double claims = 0;
  links_.flows(link).for_each([&](OpId id) {
    const FlowPath path = paths_.of(id);
    const RouteFigures& figures = path.figures();
    Part part{figures.cap_bytes_per_s / figures.weight, 0, id};
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      if (index == link) {
        part.claim = hop.consumption(false) * figures.weight;
      } else {
        part.bound = std::min(part.bound, level_of(links_[index]));
      }
    }
    claims += part.claim;
    parts_.push_back(part);
  });
  visits_ += parts_.size();
  // Level by level: what is held back elsewhere leaves the more to the others.
  const double capacity = paths_.link(link).capacity_bytes_per_s;
  double level = capacity / claims;
  auto open_end = parts_.end();
  double taken = 0;
  while (true) {
    const auto held = std::partition(parts_.begin(), open_end, [level](const Part& part) {
      return part.bound >= level * (1 - kRounding);
    });
    if (held == open_end) {
      return level;
    }
    for (auto part = held; part != open_end; ++part) {
      taken += part->claim * part->bound;
    }
    open_end = held;
    if (held == parts_.begin()) {
      return kNotFull;
    }
    claims = 0;
    for (auto part = parts_.begin(); part != open_end; ++part) {
      claims += part->claim;
    }
    level = std::max(level, (capacity - taken) / claims);
  }
}

// The level of the link that was filled last has moved: whom does that concern?
void RateRepair::spread(std::uint32_t link, double before, double level) {
  const double lowest = std::min(before, level);
  const bool falls = level < before;
  for (const Part& part : parts_) {
    if (part.bound <= lowest) {
      continue;  // held back elsewhere, before and now
    }
    const FlowPath path = paths_.of(part.id);
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      if (index == link || paths_.link(index).fatpipe) {
        continue;
      }
      const double other = level_of(links_[index]);
      // What is not full will not be when its flows take less.
      if (other > lowest && !(falls && other == kNotFull)) {
        wake(index, lowest);
      }
    }
  }
}

void RateRepair::wake(std::uint32_t link, double key) {
  std::uint32_t& position = links_[link].position;
  if (position >= LinkLoads::kTouched) {
    position = static_cast<std::uint32_t>(work_.size());
    work_.push_back({.link = link, .level = links_[link].level});
  }
  Work& work = work_[position];
  if (!work.waits || work.key > key) {
    work.waits = true;
    work.key = key;
    order_.emplace_back(key, position);
    std::push_heap(order_.begin(), order_.end(), std::greater<>());
  }
}

// Levels first: clocks are then at this moment, and flows go from one to the other.
void RateRepair::commit(double now_s, std::span<const OpId> arrivals) {
  for (Work& work : work_) {
    links_[work.link].position = LinkLoads::kNone;
    work.moved = links_[work.link].level != work.level;
    links_[work.link].level = work.level;
  }
  for (const OpId id : arrivals) {
    if (notes_[id] == kNewFlow) {
      assign(now_s, id);
    }
  }
  for (const Work& work : work_) {
    if (work.moved) {
      links_.flows(work.link).for_each([&](OpId id) { assign(now_s, id); });
    }
  }
  for (const Work& work : work_) {
    rates_.set_level(now_s, work.link, work.level);
  }
  links_.touched().clear();
}

// What holds the flow back is the least level on its way; of several, the one that did before.
void RateRepair::assign(double now_s, OpId id) {
  const FlowPath path = paths_.of(id);
  const RouteFigures& figures = path.figures();
  const std::uint32_t before = notes_[id];
  double least = figures.cap_bytes_per_s / figures.weight;
  std::uint32_t note = kFlowAtCap;
  double of_before = before == kFlowAtCap ? least : kNotFull;
  for (std::uint32_t hop = 0; hop < path.hops().size(); ++hop) {
    const double level = links_[path.link(path.hops()[hop])].level;
    if (level < least) {
      least = level;
      note = kFlowByHop + hop;
    }
    if (before == kFlowByHop + hop) {
      of_before = level;
    }
  }
  rates_.note_speed(figures, least * figures.weight);
  if (of_before > least * (1 + kRounding)) {
    rates_.set(now_s, id, path, note);
  }
}

void RateRepair::abandon() {
  for (const Work& work : work_) {
    links_[work.link].position = work.touched ? LinkLoads::kTouched : LinkLoads::kNone;
  }
}

}  // namespace tutti
