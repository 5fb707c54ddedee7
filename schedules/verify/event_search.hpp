// Exact questions to the event graph: which of these accesses are over before that one begins?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/verify/events.hpp"

namespace tutti::inline schedules {

// A search backwards. Ids are a topological order, so it never looks at an operation with a smaller
// id than the smallest one asked for, and it stops when all have been found.
class EventSearch {
 public:
  // Looks at no more than `budget` events in all its life.
  EventSearch(const Schedule& schedule, std::uint64_t budget);

  // Finds those of `candidates`, all smaller than `id`, whose access at `rank` is not known to be
  // over before the access of `id` at `rank` begins. Valid until the next call.
  std::span<const OpId> unordered(OpId id, Rank rank, std::span<const OpId> candidates);

  // The budget is spent, and answers since then say "unordered" of pairs not looked at.
  [[nodiscard]] bool exhausted() const { return budget_ == 0; }

 private:
  void search(OpEvent from, OpId smallest);
  bool enter(OpEvent event, OpId smallest);

  const Schedule& schedule_;
  std::uint64_t budget_;
  std::uint32_t epoch_ = 0;
  std::size_t sought_ = 0;
  // By operation: the ends that are sought, and the moments seen in the search numbered by epoch.
  std::vector<Moments> targets_;
  std::vector<Moments> seen_;
  std::vector<std::uint32_t> seen_epoch_;
  std::vector<OpEvent> stack_;
  std::vector<OpId> left_;
};

}  // namespace tutti::inline schedules
