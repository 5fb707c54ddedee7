// Exact search of the event graph. It finds out which of some accesses are over before another one
// begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/verify/events.hpp"

namespace tutti { inline namespace schedules {

// Searches backwards from an operation. Ids are a topological order, so the search never looks at
// an operation with a smaller id than the smallest candidate. It stops when it has found all
// candidates.
class EventSearch {
 public:
  // All searches together look at no more than `budget` events.
  EventSearch(const Schedule& schedule, std::uint64_t budget);

  // Returns those of `candidates` whose access at `rank` is not known to be over before the access
  // of operation `id` at `rank` begins. All candidates must be smaller than `id`. The result is
  // valid until the next call.
  std::span<const OpId> unordered(OpId id, Rank rank, std::span<const OpId> candidates);

  // True if the budget is spent. unordered() then also returns candidates that the search did not
  // reach.
  [[nodiscard]] bool exhausted() const { return budget_ == 0; }

 private:
  void search(OpEvent from, OpId smallest);
  bool enter(OpEvent event, OpId smallest);

  const Schedule& schedule_;
  std::uint64_t budget_;
  std::uint32_t epoch_ = 0;
  std::size_t sought_ = 0;
  // For each operation: the end events still sought, the moments seen, and the epoch (number of the
  // search) in which the moments were seen.
  std::vector<Moments> targets_;
  std::vector<Moments> seen_;
  std::vector<std::uint32_t> seen_epoch_;
  std::vector<OpEvent> stack_;
  std::vector<OpId> left_;
};

}}  // namespace tutti::schedules
