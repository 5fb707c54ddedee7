#include "sim/event_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace tutti::test_event_queue {

namespace {

std::vector<std::uint32_t> pop(EventQueue& queue, double until_s) {
  std::vector<std::uint32_t> ids;
  queue.pop_until(until_s, [&](std::uint32_t id) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

TEST_CASE("completions come out at their due times") {
  IdPool pool;
  EventQueue queue(pool);
  CHECK(queue.next_s() == std::numeric_limits<double>::infinity());
  queue.push(0, 5, 1);
  queue.push(0, 2, 2);
  queue.push(1, 1, 3);
  CHECK(queue.next_s() == 2);
  CHECK(pop(queue, 2) == std::vector<std::uint32_t>{2, 3});
  CHECK(queue.next_s() == 5);
  CHECK(pop(queue, 4.9).empty());
  CHECK(pop(queue, 5) == std::vector<std::uint32_t>{1});
  CHECK(queue.next_s() == std::numeric_limits<double>::infinity());
}

TEST_CASE("the queue agrees with a plain list, for few and for many different durations") {
  for (const unsigned durations : {1U, 3U, 8U, 9U, 40U}) {
    std::mt19937 random(durations);
    IdPool pool;
    EventQueue queue(pool);
    std::vector<std::pair<double, std::uint32_t>> list;
    double now_s = 0;
    // The durations become longer with time, so that the queue's lanes (one for each duration)
    // become empty and are reused.
    for (std::uint32_t id = 0; id < 20000; ++id) {
      const std::uint32_t drift = id / 3000;
      const auto duration_s = static_cast<double>(1 + drift + random() % durations);
      queue.push(now_s, duration_s, id);
      list.emplace_back(now_s + duration_s, id);
      if (random() % 3 == 0) {
        const double next_s = std::min_element(list.begin(), list.end())->first;
        REQUIRE(queue.next_s() == next_s);
        now_s = next_s;
        std::vector<std::uint32_t> due;
        const auto rest = std::partition(list.begin(), list.end(),
                                         [&](const auto& entry) { return entry.first > next_s; });
        std::for_each(rest, list.end(), [&](const auto& entry) { due.push_back(entry.second); });
        list.erase(rest, list.end());
        std::sort(due.begin(), due.end());
        REQUIRE(pop(queue, next_s) == due);
      }
    }
  }
}

TEST_CASE("an event that is replaced by another one of its id does not happen") {
  std::mt19937 random(7);
  for (const unsigned durations : {1U, 5U, 100U}) {
    IdPool pool;
    EventQueue queue(pool);
    constexpr double kNever = -1;
    std::vector<double> due_s(300, kNever);
    const auto is_valid = [&](const Event& event) { return due_s[event.id] == event.at_s; };
    double now_s = 0;
    for (int i = 0; i < 20000; ++i) {
      const auto id = static_cast<std::uint32_t>(random() % due_s.size());
      due_s[id] = queue.push(now_s, static_cast<double>(1 + random() % durations), id);
      if (random() % 50 != 0) {
        continue;
      }
      double first_s = std::numeric_limits<double>::infinity();
      for (const double at_s : due_s) {
        first_s = at_s == kNever ? first_s : std::min(first_s, at_s);
      }
      REQUIRE(queue.next_s(is_valid) == first_s);
      now_s = first_s;
      auto left = std::count(due_s.begin(), due_s.end(), now_s);
      queue.pop_until(now_s, is_valid, [&](std::uint32_t due) {
        due_s[due] = kNever;
        --left;
      });
      REQUIRE(left == 0);
    }
  }
}

}  // namespace tutti::test_event_queue
