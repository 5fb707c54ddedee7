// Tests a schedule in which one rank can represent all ranks, unless operations wait for ports:
// then all ranks must be simulated.
#include <catch2/catch.hpp>

#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_symmetry_use {

namespace {

// Each rank sends two messages at once; with one port, one of them waits.
void emit_two(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  for (const Rank rank : builder.emitted_ranks()) {
    for (const std::uint32_t distance : {1U, 2U}) {
      builder.comm({distance}, rank, (rank + distance) % p, {{0, 1}, kInput, kScratch}, {});
    }
  }
}

constexpr Algorithm kTwo{
    .collective = Collective::allreduce,
    .name = "two_at_once",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = one_block,
    .symmetry = rotation,
    .emit = emit_two,
};

Machine machine_of(const Problem& problem, std::uint32_t ports, SymmetryUse symmetry) {
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.symmetry = symmetry;
  machine.setup.ports = ports;
  machine.mapping.ranks = machine.spec.source.crossbar.hosts = problem.ranks;
  return machine;
}

}  // namespace

TEST_CASE("one rank does not represent all if operations wait for ports") {
  const Problem problem = problem_of(Collective::allreduce, 7, 1000);
  const auto run = [&](std::uint32_t ports, SymmetryUse symmetry) {
    return simulate(kTwo, problem, machine_of(problem, ports, symmetry), Detail::times_only).result;
  };
  CHECK_FALSE(run(1, SymmetryUse::automatic).symmetry);
  CHECK_THROWS_WITH(run(1, SymmetryUse::on), Catch::Contains("wait for ports"));
  for (const std::uint32_t ports : {2U, kUnlimitedPorts}) {
    const RunResult one = run(ports, SymmetryUse::on);
    CHECK(one.symmetry == Symmetry::rotation);
    CHECK(one.simulated_s == Approx(run(ports, SymmetryUse::off).simulated_s).epsilon(1e-13));
    CHECK(one.messages == 14);
  }
}

}  // namespace tutti::test_symmetry_use
