#include "sim/flow/fair_share.hpp"

#include <algorithm>
#include <functional>

namespace tutti { inline namespace sim {

void FairShare::solve(LevelChanges& changes) {
  for (const std::uint32_t index : links_.touched()) {
    LinkLoads::Link& link = links_[index];
    if (link.position != LinkLoads::kTouched) {
      continue;  // solved together with another link
    }
    link.position = LinkLoads::kNone;
    if (link.flows > 0) {
      collect(index);
      share();
      dissolve(changes);
    }
  }
  links_.touched().clear();
}

// Collects the component of a link: all flows and links that are connected to it. Always reads the
// link that was found last among those not read yet. If many ranks send to many others, this reads
// the flows of each sender, which are adjacent in memory, one after the other.
void FairShare::collect(std::uint32_t link) {
  shares_.clear();
  least_own_level_ = kNotFull;
  open_ = 0;
  enter(link, paths_.link(link));
  while (!unread_.empty()) {
    const std::uint32_t index = unread_.back();
    unread_.pop_back();
    links_.flows(index).for_each([&](OpId id) {
      if ((notes_[id] & kFlowOpen) != 0) {
        return;
      }
      notes_[id] |= kFlowOpen;
      ++open_;
      const FlowPath path = paths_.of(id);
      least_own_level_ = std::min(least_own_level_, path.own_level());
      for (const Hop hop : path.hops()) {
        const std::uint32_t crossed = path.link(hop);
        const NetworkLink& info = paths_.link(crossed);
        if (!info.fatpipe) {
          enter(crossed, info);
        }
      }
    });
  }
}

inline FairShare::Share& FairShare::enter(std::uint32_t link, const NetworkLink& info) {
  LinkLoads::Link& entered = links_[link];
  if (entered.position >= LinkLoads::kTouched) {
    entered.position = static_cast<std::uint32_t>(shares_.size());
    unread_.push_back(link);
    shares_.push_back({.claims = entered.claims,
                       .capacity_bytes_per_s = info.capacity_bytes_per_s,
                       .link = link,
                       .flows = entered.flows});
  }
  return shares_[entered.position];
}

void FairShare::share() {
  order_.clear();
  for (std::uint32_t i = 0; i < shares_.size(); ++i) {
    if (shares_[i].flows > 1) {  // a single flow does not fill a link
      order_.emplace_back(key_of(shares_[i]), i);
    }
  }
  if (share_evenly()) {
    return;
  }
  std::make_heap(order_.begin(), order_.end(), std::greater<>());
  while (!order_.empty()) {
    const double level = next_full();
    // Links that become full at the same level do not depend on each other.
    for (const std::uint32_t position : full_) {
      shares_[position].level = level;
    }
    for (const std::uint32_t position : full_) {
      for_each_open(shares_[position].link,
                    [&](OpId id, const FlowPath& path) { fix(id, path, level); });
    }
    full_.clear();
  }
}

// Handles the case that all links become full at the same level, as in an all-to-all, so that the
// rates of flows need not be fixed one by one. Returns false in any other case.
bool FairShare::share_evenly() {
  if (order_.size() < shares_.size()) {
    return false;
  }
  const double level = level_of(shares_.front());
  if (least_own_level_ < level ||
      std::any_of(shares_.begin(), shares_.end(),
                  [level](const Share& share) { return level_of(share) != level; })) {
    return false;
  }
  for (Share& share : shares_) {
    share.level = level;
  }
  return true;
}

// Returns the least level at which another link becomes full. Puts all links that are full at that
// level into full_.
double FairShare::next_full() {
  while (!order_.empty()) {
    double level = kNotFull;
    later_.clear();
    while (!order_.empty() && order_.front().first <= level) {
      std::pop_heap(order_.begin(), order_.end(), std::greater<>());
      const std::uint32_t position = order_.back().second;
      order_.pop_back();
      if (shares_[position].flows == 0) {
        continue;
      }
      const double own = level_of(shares_[position]);
      if (own > level) {
        later_.push_back(position);
        continue;
      }
      if (own < level) {
        later_.insert(later_.end(), full_.begin(), full_.end());
        full_.clear();
        level = own;
      }
      full_.push_back(position);
    }
    bool any_capped = false;
    for (const std::uint32_t position : full_) {
      any_capped |= stop_capped(position, level);
    }
    if (any_capped) {
      later_.insert(later_.end(), full_.begin(), full_.end());
      full_.clear();
    }
    for (const std::uint32_t position : later_) {
      order_.emplace_back(key_of(shares_[position]), position);
      std::push_heap(order_.begin(), order_.end(), std::greater<>());
    }
    if (!full_.empty()) {
      return level;
    }
  }
  return kNotFull;
}

// Fixes the rates of the flows on this link that reach their own level before the link is full.
// Returns true if there are such flows.
bool FairShare::stop_capped(std::uint32_t position, double level) {
  if (least_own_level_ >= level) {
    return false;
  }
  capped_.clear();
  for_each_open(shares_[position].link, [&](OpId id, const FlowPath& path) {
    if (path.own_level() < level) {
      capped_.emplace_back(path.own_level(), id);
    }
  });
  std::sort(capped_.begin(), capped_.end());
  for (std::size_t i = 0; i < capped_.size();) {
    const double bound = capped_[i].first;
    if (shares_[position].flows == 0 || bound >= level_of(shares_[position])) {
      break;
    }
    for (; i < capped_.size() && capped_[i].first == bound; ++i) {
      fix(capped_[i].second, paths_.of(capped_[i].second), bound);
    }
  }
  return !capped_.empty();
}

// Fixes the rate of a flow. `bound` is the level of the link that holds the flow back, or the
// flow's own level.
void FairShare::fix(OpId id, const FlowPath& path, double bound) {
  notes_[id] &= ~kFlowOpen;
  --open_;
  for (const Hop hop : path.hops()) {
    const LinkLoads::Link& link = links_[path.link(hop)];
    if (!link.in_component()) {
      continue;
    }
    Share& share = shares_[link.position];
    const double claim = path.claim(hop);
    share.rest -= exact_part(claim * bound, share.capacity_bytes_per_s);
    share.claims -= exact_claim(claim);
    share.bound = std::max(share.bound, bound);
    --share.flows;
  }
}

double FairShare::level_of(const Share& share) {
  return std::max(just_above(share.bound),
                  level_of_rest(share.capacity_bytes_per_s, share.rest, share.claims));
}

// Returns a lower bound on the link's level, for the heap. The level never falls, except by
// rounding.
double FairShare::key_of(const Share& share) {
  constexpr double kRounding = 1e-12;
  return share.flows == 0 ? kNotFull : level_of(share) * (1 - kRounding);
}

// Ends the component and reports its new levels. Flows that still have no rate are alone on their
// links, unless all links are full at the same level.
void FairShare::dissolve(LevelChanges& changes) {
  for (const Share& share : shares_) {
    LinkLoads::Link& link = links_[share.link];
    link.position = LinkLoads::kNone;
    link.open_claims = 0;
    link.used_bytes_per_s =
        share.capacity_bytes_per_s * (static_cast<double>(kWhole - share.rest) * 0x1p-60);
    if (open_ > 0 && share.flows > 0) {
      links_.flows(share.link).for_each([&](OpId id) {
        open_ -= (notes_[id] & kFlowOpen) != 0 ? 1 : 0;
        notes_[id] &= ~kFlowOpen;
      });
    }
    if (links_.level(share.link) != share.level) {
      changes.add(share.link, share.level);
    }
  }
}

}}  // namespace tutti::sim
