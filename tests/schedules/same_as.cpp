// Tests Algorithm::same_as, with which an algorithm declares that it equals another algorithm for
// some problems.
#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_same_as {

namespace {

// Returns all operations with their ranks and bytes, sorted, so that schedules can be compared.
std::vector<std::tuple<OpKind, Rank, Rank, std::uint64_t>> work_of(const Schedule& schedule) {
  std::vector<std::tuple<OpKind, Rank, Rank, std::uint64_t>> work;
  for (const Op& op : schedule.ops()) {
    work.emplace_back(op.kind(), op.src(), op.dst(), op.bytes());
  }
  std::sort(work.begin(), work.end());
  return work;
}

}  // namespace

TEST_CASE("the split binary tree becomes linear on request, for segments longer than a half") {
  const Algorithm& split = algorithm_named("bcast/split_binary_tree");
  for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
    for (const std::uint64_t elements : {1U, 2U, 7U, 100U}) {
      const std::uint64_t longer_half = (elements + 1) / 2;
      for (const std::uint64_t segment : {longer_half, longer_half + 1, 3 * elements}) {
        CAPTURE(ranks, elements, segment);
        Problem problem = problem_of(Collective::bcast, ranks, elements, ranks / 2);
        problem.segment_bytes = segment * problem.element_bytes;
        problem.fallback = Fallback::linear;
        const bool linear = segment > longer_half;
        REQUIRE(split.same_as(problem) == (linear ? "linear" : ""));
        const Schedule schedule = make_schedule(split, problem);
        if (linear) {
          const Problem plain = problem_of(Collective::bcast, ranks, elements, ranks / 2);
          REQUIRE(work_of(schedule) ==
                  work_of(make_schedule(algorithm_named("bcast/linear"), plain)));
        } else {
          problem.fallback = Fallback::none;
          REQUIRE(work_of(schedule) == work_of(make_schedule(split, problem)));
        }
        problem.fallback = Fallback::none;
        REQUIRE(split.same_as(problem).empty());
      }
    }
  }
}

TEST_CASE("an algorithm that declares itself equal to another sends the same messages") {
  std::size_t same = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (std::uint32_t ranks = 1; algorithm->same_as != nullptr && ranks <= 33; ++ranks) {
      for (const Rank root : roots(algorithm->collective, ranks)) {
        for (const std::uint64_t elements : {2 * ranks + 1, 10 * ranks}) {
          const Problem problem = problem_of(algorithm->collective, ranks, elements, root);
          const std::string_view name = algorithm->same_as(problem);
          if (name.empty()) {
            continue;
          }
          CAPTURE(algorithm->full_name(), ranks, root, elements);
          const Algorithm* const other = find_algorithm(algorithm->collective, name);
          REQUIRE(other != nullptr);
          REQUIRE(other != algorithm);
          const Schedule ours = make_schedule(*algorithm, problem);
          const Schedule theirs = make_schedule(*other, problem);
          CHECK(ours.rounds() == theirs.rounds());
          CHECK(work_of(ours) == work_of(theirs));
          ++same;
        }
      }
    }
  }
  CHECK(same > 0);
}

}  // namespace tutti::test_same_as
