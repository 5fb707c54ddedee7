#include "sim/waiting_ops.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/min_heap.hpp"
#include "sim/room.hpp"
#include "sim/waiting_pairs.hpp"

namespace tutti::test_waiting_ops {

namespace {

constexpr std::uint32_t kResources = 6;

// The expected contents of the queues.
struct Model {
  std::vector<std::uint32_t> links;
  std::vector<std::uint64_t> needs;
  WaitingOps waiting;
  std::map<std::uint64_t, std::uint32_t> queue_of;  // by needs: where its operations wait
  std::vector<std::set<OpId>> queues{kResources};

  explicit Model(std::size_t operations)
      : links(operations), needs(operations), waiting(links, kResources) {}

  void add(OpId id, std::uint64_t what, std::uint32_t resource) {
    needs[id] = what;
    queues[queue_of.emplace(what, resource).first->second].insert(id);
    waiting.add(id, queue_of[what], what);
  }
  // Checks the first operation in each queue.
  void check() {
    for (std::uint32_t resource = 0; resource < kResources; ++resource) {
      REQUIRE(waiting.empty(resource) == queues[resource].empty());
      if (!queues[resource].empty()) {
        REQUIRE(waiting.first(waiting.front(resource)) == *queues[resource].begin());
      }
    }
  }
};

}  // namespace

TEST_CASE("Waiting operations are found in the order of ids, and move in groups") {
  const unsigned seed = 20261127;
  const int trial = GENERATE(range(0, 12));
  CAPTURE(seed, trial);
  std::mt19937 random(seed + static_cast<unsigned>(trial));
  const std::uint64_t kinds = trial < 6 ? 4 : 3000;
  const bool in_order = trial % 2 == 0;
  constexpr OpId kOps = 6000;
  std::vector<OpId> order(kOps);
  for (OpId id = 0; id < kOps; ++id) {
    order[id] = id;
  }
  if (!in_order) {
    std::shuffle(order.begin(), order.end(), random);
  }
  Model model(kOps);
  std::size_t added = 0;
  for (int step = 0; step < 15000; ++step) {
    const auto resource = static_cast<std::uint32_t>(random() % kResources);
    std::set<OpId>& queue = model.queues[resource];
    if (added < kOps && random() % 2 == 0) {
      model.add(order[added++], random() % kinds, resource);
    } else if (!queue.empty()) {
      model.check();
      const OpId id = *queue.begin();
      const std::uint32_t group = model.waiting.front(resource);
      if (random() % 2 == 0) {
        model.waiting.remove_first(group);
        REQUIRE(model.links[id] == 0);
        queue.erase(id);
        if (model.waiting.first(group) != kNoOp) {
          REQUIRE(model.needs[model.waiting.first(group)] == model.needs[id]);
          model.waiting.enqueue(group, resource);
        }
        const bool more = std::any_of(queue.begin(), queue.end(), [&](OpId other) {
          return model.needs[other] == model.needs[id];
        });
        if (!more) {
          model.queue_of.erase(model.needs[id]);
        }
      } else if (in_order) {  // then all operations with equal needs are one group
        const auto to = static_cast<std::uint32_t>(random() % kResources);
        model.waiting.dequeue(resource);
        model.waiting.enqueue(group, to);
        std::set<OpId> moved;
        std::copy_if(queue.begin(), queue.end(), std::inserter(moved, moved.begin()),
                     [&](OpId other) { return model.needs[other] == model.needs[id]; });
        for (const OpId other : moved) {
          queue.erase(other);
        }
        model.queues[to].insert(moved.begin(), moved.end());
        model.queue_of[model.needs[id]] = to;
      }
    }
    model.check();
  }
  // Each operation that still waits can be found by its needs.
  std::map<std::uint64_t, OpId> first;
  for (const std::set<OpId>& queue : model.queues) {
    for (const OpId id : queue) {
      first.emplace(model.needs[id], id);
    }
  }
  for (std::uint64_t needs = 0; needs < kinds; ++needs) {
    OpId found = kNoOp;
    model.waiting.find(
        needs, [&](std::uint32_t group) { found = std::min(found, model.waiting.first(group)); });
    REQUIRE(found == (first.count(needs) == 1 ? first[needs] : kNoOp));
  }
  model.waiting.clear();
  REQUIRE(model.waiting.empty());
  REQUIRE(std::count(model.links.begin(), model.links.end(), 0U) == kOps);
}

TEST_CASE("Many operations that need the same resources may come in random order") {
  std::mt19937 random(7);
  constexpr OpId kOps = 50000;
  std::vector<OpId> order(kOps);
  for (OpId id = 0; id < kOps; ++id) {
    order[id] = id;
  }
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::uint32_t> links(kOps);
  WaitingOps waiting(links, 2);
  for (const OpId id : order) {
    waiting.add(id, 1, 5);
  }
  for (OpId id = 0; id < kOps; ++id) {
    if (waiting.empty(1) || waiting.first(waiting.front(1)) != id) {
      FAIL(id);
    }
    const std::uint32_t group = waiting.front(1);
    waiting.remove_first(group);
    if (waiting.first(group) != kNoOp) {
      waiting.enqueue(group, 1);
    }
  }
  CHECK(waiting.empty(1));
  CHECK(waiting.empty());
}

TEST_CASE("A batch queue returns numbers in ascending order") {
  std::mt19937 random(11);
  BatchQueue queue;
  for (int round = 0; round < 200; ++round) {
    std::multiset<std::uint64_t> expected;
    for (std::uint32_t i = 0; i < random() % 50; ++i) {
      const std::uint64_t added = random() % 100;
      queue.add(added);
      expected.insert(added);
    }
    queue.sort();
    while (!expected.empty()) {
      REQUIRE(!queue.empty());
      const std::uint64_t front = *expected.begin();
      REQUIRE(queue.front() == front);
      expected.erase(expected.begin());
      if (random() % 3 == 0) {
        const std::uint64_t added = front + random() % 50;
        queue.replace_front(added);
        expected.insert(added);
      } else {
        queue.pop();
      }
    }
    REQUIRE(queue.empty());
  }
}

TEST_CASE("Room knows which ports have room and are wanted") {
  std::mt19937 random(3);
  constexpr std::uint32_t kPlaces = 130;
  Room room(kPlaces, std::size_t{Room::kKinds} * kPlaces);
  std::vector<std::uint32_t> free(Room::kKinds * kPlaces);
  std::vector<std::uint32_t> wanted(free.size());
  for (std::uint32_t resource = 0; resource < free.size(); ++resource) {
    free[resource] = 1 + static_cast<std::uint32_t>(random() % 3);
    room.set(resource, free[resource]);
  }
  for (int step = 0; step < 3000; ++step) {
    const auto resource = static_cast<std::uint32_t>(random() % free.size());
    if (free[resource] > 0 && random() % 4 != 0) {
      --free[resource];
      room.hold(resource);
    } else {
      REQUIRE(room.release(resource) == (free[resource]++ == 0));
    }
    REQUIRE(room.has(resource) == (free[resource] > 0));
    const auto other = static_cast<std::uint32_t>(random() % free.size());
    if (wanted[other] > 0 && random() % 2 == 0) {
      --wanted[other];
      room.remove_waiting_group(other);
    } else {
      ++wanted[other];
      room.add_waiting_group(other);
    }
  }
  for (std::uint32_t kind = 0; kind < Room::kKinds; ++kind) {
    std::vector<std::uint32_t> found;
    room.for_each(kind, {}, [&](std::uint32_t place) { found.push_back(place); });
    std::vector<std::uint32_t> expected;
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      REQUIRE(room.kind(kind * kPlaces + place) == kind);
      if (free[kind * kPlaces + place] > 0 && wanted[kind * kPlaces + place] > 0) {
        expected.push_back(place);
      }
    }
    REQUIRE(found == expected);
    REQUIRE(room.count(kind) == expected.size());
    REQUIRE(room.count(kind, {}) == expected.size());

    // Only every third place counts.
    WaitingPairs pairs(kPlaces);
    for (std::uint32_t place = 0; place < kPlaces; place += 3) {
      pairs.add(128, place);
      pairs.add(place, 64);
    }
    std::erase_if(expected, [](std::uint32_t place) { return place % 3 != 0; });
    for (const auto places : {pairs.receivers(128), pairs.senders(64)}) {
      found.clear();
      room.for_each(kind, places, [&](std::uint32_t place) { found.push_back(place); });
      REQUIRE(found == expected);
      REQUIRE(room.count(kind, places) == expected.size());
    }
  }
}

TEST_CASE("Pairs of places between which messages wait") {
  std::mt19937 random(5);
  constexpr std::uint32_t kPlaces = 200;
  WaitingPairs pairs(kPlaces);
  REQUIRE(pairs.kept());
  REQUIRE(pairs.receivers(7).empty());
  REQUIRE(pairs.senders(7).empty());
  REQUIRE_FALSE(WaitingPairs(1U << 20U).kept());
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (int step = 0; step < 3000; ++step) {
    const auto src = static_cast<std::uint32_t>(random() % kPlaces);
    const auto dst = static_cast<std::uint32_t>(random() % kPlaces);
    if (random() % 3 == 0) {
      pairs.remove(src, dst);
      expected.erase({src, dst});
    } else {
      pairs.add(src, dst);
      expected.emplace(src, dst);
    }
  }
  const auto has = [](std::span<const std::uint64_t> places, std::uint32_t place) {
    return (places[place / 64] >> place % 64 & 1U) != 0;
  };
  for (std::uint32_t src = 0; src < kPlaces; ++src) {
    for (std::uint32_t dst = 0; dst < kPlaces; ++dst) {
      const bool waits = expected.contains({src, dst});
      REQUIRE(has(pairs.receivers(src), dst) == waits);
      REQUIRE(has(pairs.senders(dst), src) == waits);
    }
  }
}

}  // namespace tutti::test_waiting_ops
