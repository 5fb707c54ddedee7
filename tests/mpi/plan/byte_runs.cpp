// Tests the positions of blocks in memory.
#include "sim/mpi/plan/byte_runs.hpp"

#include <catch2/catch.hpp>

#include "schedules/builder.hpp"

namespace tutti::mpi {
namespace {

// A problem with one rank and ten 8-byte elements in four blocks: 24, 24, 16 and 16 bytes.
struct OneRank {
  OneRank() {
    problem.ranks = 1;
    problem.bytes = 80;
  }
  [[nodiscard]] Schedule with(OpKind kind, const Move& move) const {
    ScheduleBuilder builder(problem, 4);
    if (kind == OpKind::copy) {
      builder.copy({0, 0}, 0, move, {});
    } else {
      builder.reduce({0, 0}, 0, move, Operand::left, {});
    }
    return builder.finish();
  }
  Problem problem;
};

}  // namespace

TEST_CASE("Adjacent blocks are joined, and a run that wraps around becomes two") {
  const OneRank one;
  const Schedule straight =
      one.with(OpKind::copy, {.blocks = {1, 2}, .from = kWork, .into = {Buffer::scratch, 0}});
  CHECK(runs_read(straight, 0) == std::vector<ByteRun>{{24, 40}});
  CHECK(runs_written(straight, 0) == std::vector<ByteRun>{{24, 40}});
  const Schedule wraps =
      one.with(OpKind::copy, {.blocks = {3, 2}, .from = kWork, .into = {Buffer::scratch, 0}});
  CHECK(runs_read(wraps, 0) == std::vector<ByteRun>{{64, 16}, {0, 24}});
}

TEST_CASE("Scratch slots are consecutive, each as long as the vector") {
  const Schedule schedule =
      OneRank().with(OpKind::copy, {.blocks = {2, 1}, .from = kWork, .into = {Buffer::scratch, 2}});
  CHECK(runs_written(schedule, 0) == std::vector<ByteRun>{{2 * 80 + 48, 16}});
}

TEST_CASE("Empty blocks are left out") {
  Problem problem;
  problem.ranks = 1;
  problem.bytes = 16;
  ScheduleBuilder builder(problem, 4);  // two blocks of one element and two empty ones
  builder.copy({0, 0}, 0, {.blocks = {0, 4}, .from = kWork, .into = {Buffer::scratch, 0}}, {});
  const Schedule schedule = builder.finish();
  CHECK(runs_read(schedule, 0) == std::vector<ByteRun>{{0, 16}});
}

TEST_CASE("Moves are split where the source or target run ends") {
  // Block 2 is copied to block 3, and block 3 to block 2; each block has 16 bytes.
  const OneRank one;
  ScheduleBuilder builder(one.problem, 4);
  const std::vector<BlockPair> pairs{{2, 3}, {3, 2}};
  builder.pairs(OpKind::copy, {0, 0}, 0, 0, kWork, {Buffer::scratch, 0}, pairs, Operand::left, {});
  const Schedule schedule = builder.finish();
  const std::vector<ByteMove> moves = moves_of(schedule, 0);
  CHECK(moves == std::vector<ByteMove>{{48, 64, 16}, {64, 48, 16}});
  CHECK_FALSE(needs_staging(schedule.op(0), moves));  // source and target are different buffers
}

TEST_CASE("An operation that reads what another of its moves writes needs staging") {
  const OneRank one;
  ScheduleBuilder builder(one.problem, 4);
  builder.pairs(OpKind::copy, {0, 0}, 0, 0, kWork, kWork, std::vector<BlockPair>{{2, 3}, {3, 2}},
                Operand::left, {});
  builder.pairs(OpKind::copy, {1, 0}, 0, 0, kWork, kWork, std::vector<BlockPair>{{0, 1}},
                Operand::left, std::vector<OpId>{0});
  const Schedule schedule = builder.finish();
  CHECK(needs_staging(schedule.op(0), moves_of(schedule, 0)));
  CHECK_FALSE(needs_staging(schedule.op(1), moves_of(schedule, 1)));
}

}  // namespace tutti::mpi
