// The events in a run of a draft, and the direct predecessors of each event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/schedules/explore/draft.hpp"

namespace tutti::explore {

// The five events of a message. A local operation has only one event, whose number is kLocal.
enum Moment : std::uint32_t { send_post, read, send_done, recv_post, recv_done, kMoments };
constexpr std::uint32_t kLocal = 0;

class EventGraph {
 public:
  // If `sends_wait` is true, a send ends only after its receive has been posted.
  EventGraph(const Draft& draft, bool sends_wait);

  [[nodiscard]] static std::uint32_t number(std::uint32_t op, std::uint32_t moment) {
    return op * kMoments + moment;
  }
  [[nodiscard]] std::size_t size() const { return before_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& before(std::uint32_t event) const {
    return before_[event];
  }
  // Events in topological order. Events on a cycle, and events that come after a cycle, are left
  // out.
  [[nodiscard]] const std::vector<std::uint32_t>& sorted() const { return sorted_; }
  // Operations with an event that never happens.
  [[nodiscard]] const std::vector<std::uint32_t>& stuck() const { return stuck_; }

 private:
  void order(std::uint32_t first, std::uint32_t second) { before_[second].push_back(first); }

  void sort(const Draft& draft);

  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> sorted_;
  std::vector<std::uint32_t> stuck_;
};

}  // namespace tutti::explore
