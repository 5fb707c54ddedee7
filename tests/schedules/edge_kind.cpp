#include "schedules/edge_kind.hpp"

#include <catch2/catch.hpp>

#include <array>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_edge_kind {

namespace {

// Returns the kind of a dependency between two messages from rank 0 to rank 1. The earlier message
// performs the move `first`, the later one the move `second`.
EdgeKind between(const Move& first, const Move& second) {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 8), 8);
  const OpId before = builder.comm({0, 0}, 0, 1, first, {});
  const OpId after = builder.comm({1, 0}, 0, 1, second, std::array{before});
  const Schedule schedule = builder.finish();
  return edge_kind(schedule, before, after);
}

}  // namespace

TEST_CASE("A dependency is data when the later operation reads what the earlier one wrote") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 4), 4);
  const OpId message = builder.comm({0, 0}, 0, 1, {{0, 2}, kWork, kScratch}, {});
  const OpId reduction =
      builder.reduce({0, 0}, 1, {{1, 1}, kScratch, kWork}, Operand::left, std::array{message});
  const OpId sent_on = builder.comm({1, 0}, 1, 2, {{1, 1}, kWork, kWork}, std::array{reduction});
  const OpId other = builder.comm({2, 0}, 1, 2, {{3, 1}, kWork, kWork}, std::array{reduction});
  const Schedule schedule = builder.finish();
  CHECK(edge_kind(schedule, message, reduction) == EdgeKind::data);
  CHECK(edge_kind(schedule, reduction, sent_on) == EdgeKind::data);
  CHECK(edge_kind(schedule, reduction, other) == EdgeKind::pace);
}

TEST_CASE("A reduction also reads what it combines into") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 1), 1);
  const OpId message = builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kWork}, {});
  const OpId reduction =
      builder.reduce({0, 0}, 1, {{0, 1}, kScratch, kWork}, Operand::left, std::array{message});
  const OpId copy = builder.copy({1, 0}, 1, {{0, 1}, kScratch, kWork}, std::array{message});
  const Schedule schedule = builder.finish();
  CHECK(edge_kind(schedule, message, reduction) == EdgeKind::data);
  CHECK(edge_kind(schedule, message, copy) == EdgeKind::buffer);
}

TEST_CASE("Accesses of a message at other ranks than the later operation's are ignored") {
  // The first two messages both write scratch[0], but at different ranks. They share rank 1, where
  // both read work[0].
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 1), 1);
  const OpId first = builder.comm({0, 0}, 1, 0, {{0, 1}, kWork, kScratch}, {});
  const OpId second = builder.comm({1, 0}, 1, 2, {{0, 1}, kWork, kScratch}, std::array{first});
  // The third message overwrites the block at rank 1 that the first message reads.
  const OpId third = builder.comm({2, 0}, 2, 1, {{0, 1}, kWork, kWork}, std::array{first, second});
  // The fourth message writes at rank 2, which takes no part in the first message.
  const OpId fourth = builder.comm({3, 0}, 1, 2, {{0, 1}, kInput, kWork}, std::array{first});
  const Schedule schedule = builder.finish();
  CHECK(edge_kind(schedule, first, second) == EdgeKind::pace);
  CHECK(edge_kind(schedule, first, third) == EdgeKind::buffer);
  CHECK(edge_kind(schedule, first, fourth) == EdgeKind::pace);
}

TEST_CASE("Runs of blocks overlap modulo the number of blocks") {
  const auto into_scratch = [](const BlockSet& blocks) { return Move{blocks, kWork, kScratch}; };
  CHECK(between(into_scratch({0, 3}), into_scratch({3, 3})) == EdgeKind::pace);
  CHECK(between(into_scratch({0, 3}), into_scratch({2, 3})) == EdgeKind::buffer);
  CHECK(between(into_scratch({6, 3}), into_scratch({0, 1})) == EdgeKind::buffer);
  CHECK(between(into_scratch({6, 3}), into_scratch({1, 5})) == EdgeKind::pace);
  CHECK(between(into_scratch({1, 5}), into_scratch({6, 3})) == EdgeKind::pace);
  CHECK(between(into_scratch({0, 8}), into_scratch({5, 1})) == EdgeKind::buffer);
  CHECK(between(into_scratch({5, 1}), into_scratch({5, 1})) == EdgeKind::buffer);
  // A message writes the blocks that its data goes to, which need not have the numbers of the
  // blocks that it reads. Blocks in different scratch slots are different.
  CHECK(between({{0, 2}, kWork, kScratch, 4}, {{0, 2}, kWork, kScratch}) == EdgeKind::pace);
  CHECK(between({{0, 2}, kWork, kScratch, 7}, {{0, 2}, kWork, kScratch}) == EdgeKind::buffer);
  CHECK(between({{0, 2}, kWork, {Buffer::scratch, 1}}, {{0, 2}, kWork, kScratch}) ==
        EdgeKind::pace);
}

TEST_CASE("Strided and listed blocks overlap if they share a block") {
  const auto into_scratch = [](const BlockSet& blocks) { return Move{blocks, kWork, kScratch}; };
  CHECK(between(into_scratch({0, 4, 1, 2}), into_scratch({1, 4, 1, 2})) == EdgeKind::pace);
  CHECK(between(into_scratch({0, 4, 1, 2}), into_scratch({3, 2})) == EdgeKind::buffer);
  CHECK(between(into_scratch({7, 2, 1, 4}), into_scratch({3, 1})) == EdgeKind::buffer);

  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 8), 8);
  const std::array listed{BlockPair{0, 7}, BlockPair{3, 2}};
  const OpId before =
      builder.pairs(OpKind::comm, {0, 0}, 0, 1, kWork, kScratch, listed, Operand::left, {});
  const OpId meets = builder.comm({1, 0}, 0, 1, {{2, 1}, kWork, kScratch}, std::array{before});
  const OpId misses = builder.comm({2, 0}, 0, 1, {{3, 4}, kWork, kScratch}, std::array{before});
  const Schedule schedule = builder.finish();
  CHECK(edge_kind(schedule, before, meets) == EdgeKind::buffer);
  CHECK(edge_kind(schedule, before, misses) == EdgeKind::pace);
}

TEST_CASE("The quick comparison of two runs agrees with looking at every block") {
  constexpr std::uint32_t kBlocks = 5;
  for (std::uint32_t first = 0; first < kBlocks; ++first) {
    for (std::uint32_t count = 1; count <= kBlocks; ++count) {
      for (std::uint32_t other = 0; other < kBlocks; ++other) {
        for (std::uint32_t others = 1; others <= kBlocks; ++others) {
          ScheduleBuilder builder(problem_of(Collective::allreduce, 2, kBlocks), kBlocks);
          const OpId before = builder.comm({0, 0}, 0, 1, {{first, count}, kWork, kScratch}, {});
          const OpId after =
              builder.comm({1, 0}, 0, 1, {{other, others}, kWork, kScratch}, std::array{before});
          const Schedule schedule = builder.finish();
          bool shared = false;
          for (std::uint32_t i = 0; i < count; ++i) {
            for (std::uint32_t j = 0; j < others; ++j) {
              shared = shared || (first + i) % kBlocks == (other + j) % kBlocks;
            }
          }
          REQUIRE((edge_kind(schedule, before, after) == EdgeKind::buffer) == shared);
        }
      }
    }
  }
}

TEST_CASE("Every dependency of every algorithm has exactly one kind") {
  for (const Algorithm* algorithm : algorithms()) {
    Problem request = problem_of(Collective::allreduce, 6, 60);
    request.collective = algorithm->collective;
    const Schedule schedule = make_schedule(*algorithm, request);
    const EdgeCounts counts = count_edges(schedule);
    CHECK(counts.data + counts.buffer + counts.pace == schedule.dependencies());
  }
}

TEST_CASE("Edge kinds need the payload") {
  Problem request = problem_of(Collective::allreduce, 4, 16);
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/ring"), request, Detail::times_only);
  CHECK_THROWS_AS(count_edges(schedule), InvariantError);
}

}  // namespace tutti::test_edge_kind
