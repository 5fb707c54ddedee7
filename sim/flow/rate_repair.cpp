#include "sim/flow/rate_repair.hpp"

#include <algorithm>
#include <functional>

namespace tutti { inline namespace sim {

bool RateRepair::solve(std::size_t most_visits, LevelChanges& changes) {
  visits_ = 0;
  if (table_.in_use()) {
    table_.prepare();
  }
  for (const std::uint32_t index : links_.touched()) {
    LinkLoads::Link& link = links_[index];
    if (link.flows == 0) {
      link.position = LinkLoads::kNone;
      continue;
    }
    enter(index);
    work_.back().touched = true;
    put(link.position, std::min(links_.level(index), least_level(work_.back())));
  }
  const bool settled = settle(most_visits);
  if (settled) {
    for (const Work& work : work_) {
      links_[work.link].position = LinkLoads::kNone;
      if (links_.level(work.link) != work.before) {
        changes.add(work.link, links_.level(work.link));
      }
    }
    links_.touched().clear();
  } else {
    abandon();
  }
  work_.clear();
  order_.clear();
  return settled;
}

bool RateRepair::settle(std::size_t most_visits) {
  while (!order_.empty()) {
    const auto [key, position] = order_.front();
    std::pop_heap(order_.begin(), order_.end(), std::greater<>());
    order_.pop_back();
    if (!work_[position].waits || work_[position].key != key) {
      continue;
    }
    if (!work_[position].fresh) {
      fill(work_[position]);
      if (visits_ > most_visits) {
        return false;
      }
    }
    Work& work = work_[position];
    const double before = links_.level(work.link);
    const double lowest = std::min(before, work.filled);
    if (!order_.empty() && lowest > order_.front().first) {  // not its turn yet
      put(position, lowest);
      continue;
    }
    work.waits = false;
    links_[work.link].used_bytes_per_s = work.used_bytes_per_s;
    links_[work.link].open_claims = work.open_claims;
    if (before != work.filled) {
      work.least = work.filled;
      links_.level(work.link) = work.filled;
      spread(work.link, before, work.filled);
    }
  }
  return true;
}

void RateRepair::fill(Work& work) {
  const double guess = work.was_filled ? work.filled : links_.level(work.link);
  work.fresh = work.was_filled = true;
  work.filled = kNotFull;
  work.used_bytes_per_s = 0;
  work.open_claims = 0;
  work.gained_bytes_per_s = 0;
  const LinkLoads::Link& link = links_[work.link];
  if (link.flows == 1) {
    return;
  }
  filling_.clear();
  if (table_.in_use()) {
    table_.read(work.link, filling_);
  } else {
    read_by_paths(work.link);
  }
  visits_ += filling_.size();
  const LinkFilling::Result result =
      filling_.level(paths_.link(work.link).capacity_bytes_per_s, link.claims, guess);
  work.filled = result.level;
  work.used_bytes_per_s = result.used_bytes_per_s;
  work.open_claims = result.open_claims;
  work.least = std::min(links_.level(work.link), result.level);
}

void RateRepair::read_by_paths(std::uint32_t link) {
  links_.flows(link).for_each([&](OpId id) {
    const FlowPath path = paths_.of(id);
    double bound = path.own_level();
    double claim = 0;
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      if (index == link) {
        claim = path.claim(hop);
      } else {
        bound = std::min(bound, links_.level(index));
      }
    }
    filling_.add(claim, bound);
  });
}

// Finds the links that a change of this link's level may affect.
void RateRepair::spread(std::uint32_t link, double before, double level) {
  if (!table_.in_use()) {
    spread_by_paths(link, before, level);
    return;
  }
  table_.move(link, before, level);
  for (const std::uint32_t index : table_.loosened()) {
    if (links_[index].in_component()) {
      work_[links_[index].position].fresh = false;
    }
  }
  for (const std::uint32_t index : table_.gaining()) {
    const double more = table_.take_gain(index);
    if (!paths_.link(index).fatpipe) {
      tell(index, more, std::min(before, level));
    }
  }
}

void RateRepair::spread_by_paths(std::uint32_t link, double before, double level) {
  const double lowest = std::min(before, level);
  links_.flows(link).for_each([&](OpId id) {
    const FlowPath path = paths_.of(id);
    double bound = path.own_level();
    if (bound <= lowest) {
      // The flow runs at full speed, both before and after the change.
      return;
    }
    // Number of other links that hold the flow back, both before and after the change.
    std::uint32_t held_back = 0;
    std::uint32_t holds = 0;
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      if (index == link) {
        continue;
      }
      const double other = links_.level(index);
      if (other <= lowest) {
        holds = index;
        if (++held_back == 2) {
          return;
        }
      }
      bound = std::min(bound, other);
    }
    if (held_back == 1) {  // this other link may be about to release the flow
      if (links_[holds].in_component()) {
        work_[links_[holds].position].fresh = false;
      }
      return;
    }
    const double more = std::min(bound, level) - std::min(bound, before);
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      if (index != link && !paths_.link(index).fatpipe) {
        tell(index, path.claim(hop) * more, lowest);
      }
    }
  });
}

// Tells a link that a flow now uses more or less of its bandwidth.
void RateRepair::tell(std::uint32_t index, double more_bytes_per_s, double lowest) {
  LinkLoads::Link& link = links_[index];
  link.used_bytes_per_s += more_bytes_per_s;
  const bool known = link.in_component();
  if (known) {
    work_[link.position].fresh = false;
    if (work_[link.position].waits && more_bytes_per_s < 0) {
      return;  // the link's level can only rise
    }
  }
  const double level = links_.level(index);
  if (level == kNotFull && !(known && work_[link.position].waits) &&
      !LinkLoads::may_be_full(link, paths_.link(index).capacity_bytes_per_s)) {
    return;
  }
  if (!known) {
    enter(index);
  }
  Work& work = work_[link.position];
  work.gained_bytes_per_s += std::max(0.0, more_bytes_per_s);
  const double key = std::min(level, std::max(lowest, least_level(work)));
  if (!work.waits || work.key > key) {
    put(link.position, key);
  }
}

void RateRepair::put(std::uint32_t position, double key) {
  work_[position].waits = true;
  work_[position].key = key;
  order_.emplace_back(key, position);
  std::push_heap(order_.begin(), order_.end(), std::greater<>());
}

// Returns a lower bound on the new level. If the flows would use more than the capacity, the flows
// that the link holds back must give up the difference, and at a lower level the link holds more
// flows back. If the claims of the flows that the link holds back are unknown, assumes that nothing
// else holds any flow back.
double RateRepair::least_level(const Work& work) const {
  const LinkLoads::Link& link = links_[work.link];
  if (link.flows == 1) {
    return kNotFull;
  }
  const double capacity = paths_.link(work.link).capacity_bytes_per_s;
  if (work.open_claims <= 0) {
    return level_of_rest(capacity, kWhole, link.claims);
  }
  const double gained = work.gained_bytes_per_s * (1 + kMargin) + capacity * kMargin;
  return work.least - gained / work.open_claims;
}

void RateRepair::enter(std::uint32_t index) {
  LinkLoads::Link& link = links_[index];
  link.position = static_cast<std::uint32_t>(work_.size());
  const double level = links_.level(index);
  work_.push_back({.link = index,
                   .before = level,
                   .least = level,
                   .open_claims = level == kNotFull ? 0 : link.open_claims});
}

void RateRepair::abandon() {
  for (const Work& work : work_) {
    links_[work.link].position = work.touched ? LinkLoads::kTouched : LinkLoads::kNone;
    links_.level(work.link) = work.before;
  }
}

}}  // namespace tutti::sim
