#include <catch2/catch.hpp>

#include <array>
#include <string>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/string_replay.hpp"

namespace tutti::test_ring {

namespace {

// Rows are blocks and columns are ranks. Each cell lists contributions in the order in which they
// were combined. A contribution has two digits: rank and block.
using Table = std::array<std::array<std::string, 5>, 5>;

// The example for 5 ranks in the comments of Open MPI's coll_base_allreduce.c, after each step of
// the first phase. The comments have 01 instead of 00 in block 0 of ranks 2 and 3. Where they have
// FULL, the sum is written out here.
const std::array<Table, 4> kComputation{
    Table{{{"00", "00+10", "20", "30", "40"},
           {"01", "11", "11+21", "31", "41"},
           {"02", "12", "22", "22+32", "42"},
           {"03", "13", "23", "33", "33+43"},
           {"44+04", "14", "24", "34", "44"}}},
    Table{{{"00", "00+10", "00+10+20", "30", "40"},
           {"01", "11", "11+21", "11+21+31", "41"},
           {"02", "12", "22", "22+32", "22+32+42"},
           {"33+43+03", "13", "23", "33", "33+43"},
           {"44+04", "44+04+14", "24", "34", "44"}}},
    Table{{{"00", "00+10", "00+10+20", "00+10+20+30", "40"},
           {"01", "11", "11+21", "11+21+31", "11+21+31+41"},
           {"22+32+42+02", "12", "22", "22+32", "22+32+42"},
           {"33+43+03", "33+43+03+13", "23", "33", "33+43"},
           {"44+04", "44+04+14", "44+04+14+24", "34", "44"}}},
    Table{{{"00", "00+10", "00+10+20", "00+10+20+30", "00+10+20+30+40"},
           {"11+21+31+41+01", "11", "11+21", "11+21+31", "11+21+31+41"},
           {"22+32+42+02", "22+32+42+02+12", "22", "22+32", "22+32+42"},
           {"33+43+03", "33+43+03+13", "33+43+03+13+23", "33", "33+43"},
           {"44+04", "44+04+14", "44+04+14+24", "44+04+14+24+34", "44"}}}};

// Returns true if `rank` holds the complete result of `block` after step `step` of the second
// phase. In this phase, rank r starts with the result of block r+1 and receives those of blocks r,
// r-1, r-2 and r-3, one per step (all modulo 5).
bool is_full(Rank rank, std::uint32_t block, std::uint32_t step) {
  return (rank + 1 + 5 - block) % 5 <= step + 1;
}

Schedule five_ranks() {
  return make_schedule(algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 5, 5));
}

}  // namespace

TEST_CASE("the ring on 5 ranks matches the published table, cell by cell") {
  const Schedule schedule = five_ranks();
  CHECK(schedule.rounds() == 8);
  StringReplay replay(
      schedule,
      [](Rank rank, std::uint32_t block) { return std::to_string(rank) + std::to_string(block); },
      "+");
  const std::array<std::string, 5> full{"00+10+20+30+40", "11+21+31+41+01", "22+32+42+02+12",
                                        "33+43+03+13+23", "44+04+14+24+34"};
  std::uint32_t steps = 0;
  replay.run([&](std::uint32_t step) {
    CHECK(step == steps++);
    for (std::uint32_t block = 0; block < 5; ++block) {
      for (Rank rank = 0; rank < 5; ++rank) {
        INFO("step " << step << ", block " << block << ", rank " << rank);
        if (step < 4) {
          CHECK(replay.work(rank, block) == kComputation[step][block][rank]);
        } else {
          const bool holds_result = is_full(rank, block, step - 4);
          CHECK((replay.work(rank, block) == full[block]) == holds_result);
          if (!holds_result) {
            CHECK(replay.work(rank, block) == kComputation[3][block][rank]);
          }
        }
      }
    }
  });
  CHECK(steps == 8);
  for (std::uint32_t block = 0; block < 5; ++block) {
    for (Rank rank = 0; rank < 5; ++rank) {
      CHECK(replay.work(rank, block) == full[block]);
    }
  }
}

TEST_CASE("the ring moves every block 2(p-1) times in 2(p-1) rounds") {
  for (const std::uint32_t p : {2U, 3U, 8U, 33U}) {
    const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"),
                                            problem_of(Collective::allreduce, p, 10 * p));
    CHECK(schedule.rounds() == 2 * (p - 1));
    CHECK(schedule.messages() == 2 * std::uint64_t{p} * (p - 1));
    CHECK(schedule.bytes_sent() == 2 * std::uint64_t{p - 1} * 80 * p);
    CHECK(schedule.bytes_reduced() == std::uint64_t{p - 1} * 80 * p);
    CHECK(schedule.scratch_slots() == 1);
    CHECK(schedule.pooled_ops() == 0);
  }
}

TEST_CASE("the ring refuses fewer elements than ranks, and says why") {
  const Algorithm& ring = algorithm_named("allreduce/ring");
  CHECK_THROWS_WITH(make_schedule(ring, problem_of(Collective::allreduce, 4, 3)),
                    Catch::StartsWith("allreduce/ring cannot run: 3 elements on 4 ranks"));
  CHECK(make_schedule(ring, problem_of(Collective::allreduce, 1, 1)).size() == 0);
}

}  // namespace tutti::test_ring
