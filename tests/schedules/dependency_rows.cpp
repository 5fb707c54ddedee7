#include "schedules/dependency_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "schedules/registry.hpp"
#include "schedules/schedule.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/served_ranks.hpp"

namespace tutti::test_dependency_rows {

namespace {

using Lists = std::vector<std::vector<OpId>>;

DependencyRows rows_of(const Lists& lists) {
  std::vector<std::uint32_t> starts{0};
  std::vector<OpId> ids;
  for (const std::vector<OpId>& list : lists) {
    ids.insert(ids.end(), list.begin(), list.end());
    starts.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  return {std::move(starts), std::move(ids)};
}

Lists lists_of(const DependencyRows& rows, std::size_t size) {
  Lists lists;
  for (OpId id = 0; id < size; ++id) {
    lists.emplace_back(rows.row(id).begin(), rows.row(id).end());
  }
  return lists;
}

// Returns `size` rows. Each is made of one of `patterns` random patterns of up to `most` distances,
// forwards or backwards.
Lists random_lists(std::size_t size, std::size_t patterns, std::size_t most, bool forwards,
                   std::mt19937& random) {
  std::vector<std::vector<OpId>> distances(patterns);
  for (std::vector<OpId>& pattern : distances) {
    pattern.resize(random() % (most + 1));
    for (OpId& distance : pattern) {
      distance = 1 + random() % 4;  // so that many patterns differ in one distance only
    }
  }
  Lists lists(size);
  for (OpId id = 0; id < size; ++id) {
    for (const OpId distance : distances[random() % patterns]) {
      if (forwards || distance <= id) {
        lists[id].push_back(forwards ? id + distance : id - distance);
      }
    }
  }
  return lists;
}

OpId most_id(const Lists& lists) {
  OpId most = 0;
  for (const std::vector<OpId>& list : lists) {
    most = list.empty() ? most : std::max(most, *std::ranges::max_element(list));
  }
  return most;
}

Lists turned(const Lists& lists) {
  Lists opposite(lists.size());
  for (OpId id = 0; id < lists.size(); ++id) {
    for (const OpId other : lists[id]) {
      opposite[other].push_back(id);
    }
  }
  return opposite;
}

// True if successors() and predecessors() have the same edges, in ascending order.
bool is_consistent(const Schedule& schedule) {
  std::vector<std::pair<OpId, OpId>> before;
  std::vector<std::pair<OpId, OpId>> after;
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId other : schedule.predecessors(id)) {
      before.emplace_back(other, id);
    }
    for (const OpId other : schedule.successors(id)) {
      after.emplace_back(id, other);
    }
  }
  const bool ascending = std::ranges::is_sorted(after);
  std::ranges::sort(before);
  return ascending && before == after && schedule.dependencies() == after.size();
}

}  // namespace

TEST_CASE("patterns have the same rows as lists") {
  std::mt19937 random(1);
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 5000U, 20000U}) {
    for (const std::size_t patterns : {1U, 3U, 100U, 2000U}) {
      for (const std::size_t most : {0U, 1U, 2U, 3U, 9U}) {
        const Lists lists = random_lists(size, patterns, most, random() % 2 == 0, random);
        DependencyRows rows = rows_of(lists);
        const std::size_t before = rows.memory_bytes();
        rows.fold();
        CHECK(rows.memory_bytes() <= before);
        REQUIRE(lists_of(rows, size) == lists);
        if (most_id(lists) < size) {
          REQUIRE(lists_of(rows.turned(), size) == turned(lists));
        }
        rows.unfold();
        CHECK(rows.memory_bytes() == before);
        REQUIRE(lists_of(rows, size) == lists);
      }
    }
  }
}

TEST_CASE("a row can be read like an array") {
  Lists lists(10000);
  for (OpId id = 8; id < lists.size(); ++id) {
    lists[id] = {id - 8, id - 5, id - 1};
  }
  DependencyRows rows = rows_of(lists);
  for (const bool folded : {false, true}) {
    if (folded) {
      rows.fold();
      CHECK(rows.memory_bytes() < 2 * lists.size() + 1000);
    }
    const OpIds row = rows.row(100);
    CHECK(row.size() == 3);
    CHECK(row[1] == 95);
    CHECK(row.begin()[2] == 99);
    CHECK(row.end() - row.begin() == 3);
    CHECK(*row.rbegin() == 99);
    CHECK(std::lower_bound(row.begin(), row.end(), 95) == row.begin() + 1);
    CHECK(rows.row(3).empty());
  }
  CHECK_THROWS_AS(rows.row(100).listed(), InvariantError);
  rows.unfold();
  CHECK(rows.row(100).listed()[2] == 99);
}

TEST_CASE("rows without patterns stay lists") {
  std::mt19937 random(2);
  Lists lists(20000);
  for (OpId id = 1; id < lists.size(); ++id) {
    lists[id] = {static_cast<OpId>(random() % id)};
  }
  DependencyRows rows = rows_of(lists);
  const std::size_t before = rows.memory_bytes();
  rows.fold();
  CHECK(rows.memory_bytes() == before);
  CHECK(rows.row(7).listed().size() == 1);
}

TEST_CASE("large schedules have the same dependencies in both directions") {
  int folded = 0;
  for (const Algorithm* algorithm : algorithms()) {
    const std::uint32_t ranks = served_ranks(*algorithm, 64);
    const Schedule schedule =
        make_schedule(*algorithm, problem_of(*algorithm, ranks, std::uint64_t{ranks} * 10));
    INFO(algorithm->full_name());
    CHECK(is_consistent(schedule));
    folded += schedule.memory_bytes() < 48 * std::size_t{schedule.size()} ? 1 : 0;
  }
  CHECK(folded >= 10);
}

TEST_CASE("an operation of regular algorithms takes 24 bytes, and its payload 20") {
  for (const char* name :
       {"allreduce/ring", "allreduce/recursive_doubling", "alltoall/pairwise", "allgather/ring"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (const Detail detail : {Detail::times_only, Detail::payload}) {
      const Schedule schedule =
          make_schedule(algorithm, problem_of(algorithm, 512, 512 * 8), detail);
      INFO(name);
      const std::size_t per_op = detail == Detail::payload ? 44 : 24;
      CHECK(schedule.memory_bytes() < per_op * schedule.size() + schedule.size() / 2 + 20000);
    }
  }
}

}  // namespace tutti::test_dependency_rows
