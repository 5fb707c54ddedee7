#include "sim/flow/fair_share.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace tutti {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Usage that has fallen to less of what it was has lost digits, and is added up anew.
constexpr double kWorn = 1e-3;

}  // namespace

void FairShare::solve(double now_s) {
  now_s_ = now_s;
  for (const std::uint32_t index : links_.touched()) {
    LinkLoads::Link& link = links_[index];
    if (link.position != LinkLoads::kTouched) {
      continue;  // was in the component of another
    }
    link.position = LinkLoads::kNone;
    if (link.flows == 0) {
      continue;
    }
    if (link.flows == 1) {
      const OpId id = links_.flows(index).front();
      const FlowPath path = paths_.of(id);
      if (is_alone(path)) {
        rates_.set(now_s_, id, path, kFlowAlone);
        for (const Hop hop : path.hops()) {
          rates_.set_level(now_s_, path.link(hop), kNotFull);
        }
        continue;
      }
    }
    collect(index);
    share();
    dissolve();
  }
  links_.touched().clear();
}

bool FairShare::is_alone(const FlowPath& path) const {
  return std::all_of(path.hops().begin(), path.hops().end(), [&](Hop hop) {
    const std::uint32_t index = path.link(hop);
    return links_[index].flows == 1 || paths_.link(index).fatpipe;
  });
}

// The component of a link: all flows and links that are joined to it through each other. The link
// that was found last is looked at first: where many send to many, that goes through the flows of
// one sender after the other, which lie side by side in memory.
void FairShare::collect(std::uint32_t link) {
  shares_.clear();
  any_capped_ = false;
  enter(link, paths_.link(link));
  while (!unread_.empty()) {
    const std::uint32_t index = unread_.back();
    unread_.pop_back();
    links_.flows(index).for_each([&](OpId id) {
      if ((notes_[id] & kFlowOpen) != 0) {
        return;
      }
      notes_[id] |= kFlowOpen;
      const FlowPath path = paths_.of(id);
      any_capped_ |= path.figures().cap_bytes_per_s != kInfinity;
      for (const Hop hop : path.hops()) {
        const std::uint32_t crossed = path.link(hop);
        const NetworkLink& info = paths_.link(crossed);
        if (info.fatpipe) {
          continue;
        }
        Share& share = enter(crossed, info);
        share.usage += hop.consumption(false) * path.figures().weight;
        ++share.flows;
      }
    });
  }
}

inline FairShare::Share& FairShare::enter(std::uint32_t link, const NetworkLink& info) {
  std::uint32_t& position = links_[link].position;
  if (position >= LinkLoads::kTouched) {
    position = static_cast<std::uint32_t>(shares_.size());
    unread_.push_back(link);
    shares_.push_back({.remaining = info.capacity_bytes_per_s, .link = link});
  }
  return shares_[position];
}

// Fills all links of the component evenly, in proportion to weights, until one is full; what is on
// that has its rate, and the rest goes on.
void FairShare::share() {
  order_.clear();
  for (std::uint32_t i = 0; i < shares_.size(); ++i) {
    shares_[i].summed = shares_[i].usage;
    order_.emplace_back(shares_[i].remaining / shares_[i].usage, i);
  }
  if (!any_capped_ && share_evenly()) {
    return;
  }
  std::make_heap(order_.begin(), order_.end(), std::greater<>());
  double reached = 0;  // levels never fall, except by rounding
  while (!order_.empty()) {
    std::pop_heap(order_.begin(), order_.end(), std::greater<>());
    const auto [stored, position] = order_.back();
    order_.pop_back();
    if (shares_[position].flows == 0) {
      continue;
    }
    const double level = std::max(reached, level_of(shares_[position]));
    if (level > stored && !order_.empty() && level > order_.front().first) {
      put_back(level, position);
      continue;
    }
    if (any_capped_ && stop_capped(position, level)) {
      if (shares_[position].flows > 0) {
        put_back(std::max(reached, level_of(shares_[position])), position);
      }
      continue;
    }
    reached = level;
    fill(position, level);
  }
}

// Where all links are full at one level, as in an all-to-all: nothing to be taken from any. False
// if they are not.
bool FairShare::share_evenly() {
  const double level = order_.front().first;
  if (std::any_of(order_.begin(), order_.end(),
                  [level](const auto& entry) { return entry.first != level; })) {
    return false;
  }
  for (Share& share : shares_) {
    share.full = true;
    share.level = level;
  }
  for (auto share = shares_.rbegin(); share != shares_.rend(); ++share) {  // as they were read
    for_each_open(share->link, [&](OpId id, const FlowPath& path) {
      std::uint32_t hop = 0;
      while (!links_[path.link(path.hops()[hop])].in_component()) {
        ++hop;
      }
      rates_.note_speed(path.figures(), level * path.figures().weight);
      rates_.set(now_s_, id, path, kFlowByHop + hop);
    });
  }
  return true;
}

// The link is full at this level.
void FairShare::fill(std::uint32_t position, double level) {
  const std::uint32_t link = shares_[position].link;
  for_each_open(link, [&](OpId id, const FlowPath& path) {
    fix(id, path, level * path.figures().weight, link);
  });
  shares_[position].full = true;
  shares_[position].level = level;
}

// Flows of this link that come to their own cap before the link is full; true if any.
bool FairShare::stop_capped(std::uint32_t position, double level) {
  bool any = false;
  for_each_open(shares_[position].link, [&](OpId id, const FlowPath& path) {
    const RouteFigures& figures = path.figures();
    if (figures.cap_bytes_per_s < level * figures.weight) {
      fix(id, path, figures.cap_bytes_per_s, LinkLoads::kNone);
      any = true;
    }
  });
  return any;
}

// `narrowest` is the link that holds the flow back; none if it is at its cap.
void FairShare::fix(OpId id, const FlowPath& path, double bytes_per_s, std::uint32_t narrowest) {
  std::uint32_t note = kFlowAtCap;
  for (std::uint32_t hop = 0; hop < path.hops().size(); ++hop) {
    const std::uint32_t index = path.link(path.hops()[hop]);
    const LinkLoads::Link& link = links_[index];
    if (!link.in_component()) {
      continue;
    }
    if (index == narrowest) {
      note = kFlowByHop + hop;
    }
    Share& share = shares_[link.position];
    --share.flows;
    const double consumption = path.hops()[hop].consumption(false);
    share.remaining = std::max(0.0, share.remaining - consumption * bytes_per_s);
    share.usage -= consumption * path.figures().weight;
  }
  rates_.note_speed(path.figures(), bytes_per_s);
  rates_.set(now_s_, id, path, note);
}

double FairShare::level_of(Share& share) {
  if (share.usage < kWorn * share.summed) {
    add_up(share);
  }
  return share.remaining / share.usage;
}

void FairShare::add_up(Share& share) {
  share.usage = 0;
  for_each_open(share.link, [&](OpId, const FlowPath& path) {
    for (const Hop hop : path.hops()) {
      if (path.link(hop) == share.link) {
        share.usage += hop.consumption(false) * path.figures().weight;
      }
    }
  });
  share.summed = share.usage;
}

void FairShare::put_back(double level, std::uint32_t position) {
  order_.emplace_back(level, position);
  std::push_heap(order_.begin(), order_.end(), std::greater<>());
}

// All flows have their rates: links are again what they were, with their new levels.
void FairShare::dissolve() {
  for (const Share& share : shares_) {
    LinkLoads::Link& link = links_[share.link];
    link.position = LinkLoads::kNone;
    rates_.set_level(now_s_, share.link, share.full ? share.level : kNotFull);
  }
}

}  // namespace tutti
