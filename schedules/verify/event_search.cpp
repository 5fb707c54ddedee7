#include "schedules/verify/event_search.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules {

EventSearch::EventSearch(const Schedule& schedule, std::uint64_t budget)
    : schedule_(schedule), budget_(budget) {}

std::span<const OpId> EventSearch::unordered(OpId id, Rank rank, std::span<const OpId> candidates) {
  // Allocated at the first call, because most schedules need no search.
  if (targets_.empty()) {
    targets_.resize(schedule_.size());
    seen_.resize(schedule_.size());
    seen_epoch_.resize(schedule_.size());
  }
  ++epoch_;
  sought_ = candidates.size();
  OpId smallest = id;
  for (const OpId candidate : candidates) {
    targets_[candidate] = access_ends(schedule_, candidate, rank);
    smallest = std::min(smallest, candidate);
  }
  const Moments begins = access_begins(schedule_, id, rank);
  for (const Moment moment : {Moment::send_post, Moment::recv_post}) {
    if ((begins & bit(moment)) != 0) {
      search({id, moment}, smallest);
    }
  }
  left_.clear();
  for (const OpId candidate : candidates) {
    if (targets_[candidate] != 0) {
      left_.push_back(candidate);
      targets_[candidate] = 0;
    }
  }
  return left_;
}

void EventSearch::search(OpEvent from, OpId smallest) {
  stack_.clear();
  if (enter(from, smallest)) {
    stack_.push_back(from);
  }
  while (!stack_.empty() && sought_ > 0 && budget_ > 0) {
    --budget_;
    const OpEvent event = stack_.back();
    stack_.pop_back();
    // Predecessors are pushed from the newest to the oldest, so that the oldest one is searched
    // next, because the search mostly looks for old events.
    for_each_event_before(schedule_, event, [&](OpEvent before) {
      if (enter(before, smallest)) {
        stack_.push_back(before);
      }
    });
  }
}

bool EventSearch::enter(OpEvent event, OpId smallest) {
  if (event.op < smallest) {
    return false;
  }
  if (seen_epoch_[event.op] != epoch_) {
    seen_epoch_[event.op] = epoch_;
    seen_[event.op] = 0;
  }
  if ((seen_[event.op] & bit(event.moment)) != 0) {
    return false;
  }
  seen_[event.op] |= bit(event.moment);
  if ((targets_[event.op] & bit(event.moment)) != 0) {
    targets_[event.op] = 0;
    --sought_;
  }
  return true;
}

}}  // namespace tutti::schedules
