#include "sim/wait_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace tutti::test_wait_queue {

namespace {

// A queue of operations that wait for resource 0 and for one other resource each, with the expected
// contents of the queue.
struct Model {
  std::vector<bool> waits;
  std::vector<std::uint32_t> other;
  std::vector<bool> put;
  std::set<OpId> in_others_queue;
  WaitQueue queue;

  explicit Model(std::size_t operations) : waits(operations), other(operations), put(operations) {}

  void add(OpId id, std::uint32_t resource) {
    waits[id] = true;
    put[id] = true;
    other[id] = resource;
    queue.put(id, resource);
  }
  OpId next(const std::vector<bool>& has_room) {
    return queue.next([&](OpId id) -> bool { return waits[id]; },
                      [&](std::uint32_t resource, bool) -> bool { return has_room[resource]; },
                      [&](OpId id, std::uint32_t resource) {
                        CHECK(resource == other[id]);
                        // The wait queue must report each operation at most once.
                        CHECK(in_others_queue.insert(id).second);
                      });
  }
};

}  // namespace

TEST_CASE("A wait queue finds the operations that may start, in the order of ids") {
  const unsigned seed = 20261122;
  CAPTURE(seed);
  // The queue is divided into lanes as long as its operations need only a few resources besides
  // resource 0. With more resources, the queue stops using lanes.
  const int trial = GENERATE(range(0, 24));
  const std::uint32_t resources_at_first = trial < 8 ? 50 : 3;
  const std::uint32_t resources_at_last = trial < 16 ? resources_at_first : 40;
  CAPTURE(resources_at_first, resources_at_last);
  std::mt19937 random(seed + static_cast<unsigned>(trial));
  constexpr OpId kOps = 4000;
  Model model(kOps);
  OpId fresh = 0;
  for (int instant = 0; instant < 300; ++instant) {
    const std::uint32_t resources = instant < 150 ? resources_at_first : resources_at_last;
    // Two thirds of the operations come in the order of ids, the others in random order.
    for (int i = 0; i < 12; ++i) {
      const OpId id = random() % 3 == 0 ? static_cast<OpId>(random() % kOps) : fresh++ % kOps;
      if (!model.put[id]) {
        model.add(id, 1 + static_cast<std::uint32_t>(random() % resources));
      } else if (model.waits[id]) {
        model.queue.put(id, model.other[id]);  // already in the queue
      }
    }
    std::vector<bool> has_room(resources + 1);
    for (std::uint32_t i = 0; i < random() % 4; ++i) {
      has_room[1 + random() % resources] = true;
    }
    model.queue.rewind();
    OpId from = 0;
    while (true) {
      OpId expected = WaitQueue::kNobody;
      for (OpId id = from; id < kOps && expected == WaitQueue::kNobody; ++id) {
        expected = model.waits[id] && has_room[model.other[id]] ? id : expected;
      }
      const OpId found = model.next(has_room);
      REQUIRE(found == expected);
      if (found == WaitQueue::kNobody) {
        break;
      }
      from = found + 1;
      if (random() % 3 == 0) {  // another operation has taken the other resource
        has_room[model.other[found]] = false;
      } else {
        model.waits[found] = false;  // started
        has_room[model.other[found]] = random() % 2 == 0;
      }
    }
    // Each waiting operation that lacks its other resource must also be in the queue of that
    // resource.
    bool all_known = true;
    for (OpId id = 0; id < kOps; ++id) {
      all_known = all_known && (!model.waits[id] || has_room[model.other[id]] ||
                                model.in_others_queue.count(id) == 1);
    }
    REQUIRE(all_known);
  }
}

TEST_CASE("A wait queue handles many operations that come in random order") {
  const unsigned seed = 7;
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr OpId kOps = 200000;
  std::vector<OpId> order(kOps);
  for (OpId id = 0; id < kOps; ++id) {
    order[id] = id;
  }
  std::shuffle(order.begin(), order.end(), random);
  Model model(kOps);
  for (const OpId id : order) {
    model.add(id, 1);
  }
  const std::vector<bool> has_room(2, true);
  for (OpId id = 0; id < kOps; ++id) {  // resource 1 becomes free again and again
    model.queue.rewind();
    if (model.next(has_room) != id) {
      FAIL(id);
    }
    model.waits[id] = false;
  }
}

}  // namespace tutti::test_wait_queue
