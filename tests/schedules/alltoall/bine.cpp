// The Bine all-to-all against its definition: who is reached from where, and what goes when.
#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/replay.hpp"

using namespace tutti;

namespace {

// Distances 1, -1, 3, -5, ...: each is 1 less twice the one before.
Rank partner(Rank rank, std::uint32_t step, std::uint32_t p) {
  std::int64_t rho = 1;
  for (std::uint32_t i = 0; i < step; ++i) {
    rho = 1 - 2 * rho;
  }
  const std::int64_t at = std::int64_t{rank} + (rank % 2 == 0 ? rho : -rho);
  return static_cast<Rank>((at % p + p) % p);
}

// The ranks to which steps from `step` on lead from `rank`.
std::set<Rank> reached(Rank rank, std::uint32_t step, std::uint32_t steps, std::uint32_t p) {
  if (step == steps) {
    return {rank};
  }
  std::set<Rank> all = reached(rank, step + 1, steps, p);
  all.merge(reached(partner(rank, step, p), step + 1, steps, p));
  return all;
}

using Block = std::pair<Rank, Rank>;  // from whom, for whom

}  // namespace

TEST_CASE("the Bine all-to-all sends in each step what the later ones reach from the partner") {
  const Algorithm& algorithm = algorithm_named("alltoall/bine");
  for (std::uint32_t steps = 1; steps <= 6; ++steps) {
    const std::uint32_t p = 1U << steps;
    CAPTURE(p);
    // By definition.
    std::map<std::pair<std::uint32_t, Rank>, std::set<Block>> defined;  // by step and sender
    std::vector<std::set<Block>> held(p);
    for (Rank from = 0; from < p; ++from) {
      for (Rank to = 0; to < p; ++to) {
        held[from].emplace(from, to);
      }
    }
    for (std::uint32_t step = 0; step < steps; ++step) {
      std::vector<std::set<Block>> next(p);
      for (Rank rank = 0; rank < p; ++rank) {
        const Rank other = partner(rank, step, p);
        const std::set<Rank> beyond = reached(other, step + 1, steps, p);
        for (const Block& block : held[rank]) {
          const bool goes = beyond.count(block.second) == 1;
          next[goes ? other : rank].insert(block);
          if (goes) {
            defined[{step, rank}].insert(block);
          }
        }
      }
      held = std::move(next);
    }
    // As the schedule has it.
    const Schedule schedule = make_schedule(algorithm, problem_of(Collective::alltoall, p, p * p));
    const Cells cells(schedule);
    std::vector<Block> values(cells.count(p));
    for (Rank rank = 0; rank < p; ++rank) {
      for (std::uint32_t block = 0; block < p; ++block) {
        values[cells.at(rank, Buffer::input, block)] = {rank, (rank + block) % p};
      }
    }
    std::map<std::pair<std::uint32_t, Rank>, std::set<Block>> sent;
    std::vector<Block> moving;
    replay(
        schedule, cells,
        [&](OpId id, std::size_t index, std::size_t cell) {
          moving.resize(index + 1);
          moving[index] = values[cell];
          const Op& op = schedule.op(id);
          if (op.is_comm()) {
            CHECK(op.dst() == partner(op.src(), op.label().level, p));
            sent[{op.label().level, op.src()}].insert(values[cell]);
          }
        },
        [&](OpId, std::size_t index, std::size_t cell) { values[cell] = moving[index]; });
    CHECK(sent == defined);
    for (Rank rank = 0; rank < p; ++rank) {
      for (std::uint32_t block = 0; block < p; ++block) {
        const Block wanted{(rank + p - block) % p, rank};
        CHECK(values[cells.at(rank, Buffer::work, block)] == wanted);
      }
    }
  }
}
