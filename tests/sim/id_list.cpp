#include "sim/id_list.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <random>
#include <vector>

namespace tutti::test_id_list {

namespace {

std::vector<std::uint32_t> ids_of(const IdList& list) {
  std::vector<std::uint32_t> ids;
  list.for_each([&](std::uint32_t id) { ids.push_back(id); });
  return ids;
}

// Returns the id to push after `last`: mostly `last` + `stride`, sometimes an id at a random
// distance, and sometimes 0. May also change `stride`.
std::uint32_t next_id(std::mt19937& random, std::uint32_t last, std::uint32_t& stride) {
  switch (random() % 64) {
    case 0:
      return 0;
    case 1:
      return static_cast<std::uint32_t>(random());
    case 2:
      stride = static_cast<std::uint32_t>(random() % 100000);
      return last + stride;
    case 3:
      return last + 0xfffd + static_cast<std::uint32_t>(random() % 5);
    case 4:
      return last;
    case 5:
      return last + static_cast<std::uint32_t>(random() % 300);
    default:
      return last + stride;
  }
}

}  // namespace

TEST_CASE("a list of ids returns its contents, in order") {
  std::mt19937 random(1);
  IdPool pool;
  std::vector<IdList> lists(5);
  std::vector<std::deque<std::uint32_t>> expected(lists.size());
  std::uint32_t stride = 1;
  for (int i = 0; i < 200000; ++i) {
    const std::size_t which = random() % lists.size();
    IdList& list = lists[which];
    std::deque<std::uint32_t>& ids = expected[which];
    // Lists grow for a while, and then shrink.
    if (random() % 100 < (i % 20000 < 10000 ? 70U : 35U)) {
      const std::uint32_t id = next_id(random, ids.empty() ? 0 : ids.back(), stride);
      list.push(pool, id);
      ids.push_back(id);
    } else if (!ids.empty()) {
      REQUIRE(list.front() == ids.front());
      list.pop(pool);
      ids.pop_front();
    }
    REQUIRE(list.size() == ids.size());
    REQUIRE(list.empty() == ids.empty());
    if (i % 1000 == 0) {
      REQUIRE(ids_of(list) == std::vector<std::uint32_t>(ids.begin(), ids.end()));
    }
    if (i % 7919 == 0) {
      list.clear(pool);
      ids.clear();
      REQUIRE(ids_of(list).empty());
    }
    if (i % 4001 == 0) {
      // While `list` is drained, its odd ids are pushed to another list, which may reuse the chunks
      // of `list`.
      IdList odd;
      std::vector<std::uint32_t> odd_ids;
      list.drain(pool, [&](std::uint32_t id) {
        REQUIRE(id == ids.front());
        ids.pop_front();
        if (id % 2 == 1) {
          odd.push(pool, id);
          odd_ids.push_back(id);
        }
      });
      REQUIRE(list.empty());
      REQUIRE(ids.empty());
      REQUIRE(ids_of(odd) == odd_ids);
      list = odd;
      ids.assign(odd_ids.begin(), odd_ids.end());
    }
  }
}

}  // namespace tutti::test_id_list
