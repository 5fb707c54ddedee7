// Costs by pieces: which piece a message gets, and that both engines charge it.
#include "schedules/cost_curves.hpp"

#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti {
namespace {

CostCurves curves() {
  CostCurves curves;
  curves.within_node.one_way.pieces = {{8, 1e-6, 1e-9}, {1024, 5e-6, 0.5e-9}};
  curves.within_node.exchange.pieces = {{8, 2e-6, 2e-9}};
  curves.between_nodes.one_way.pieces = {{8, 10e-6, 10e-9}};
  curves.between_nodes.exchange.pieces = {{8, 20e-6, 20e-9}};
  curves.reduce.pieces = {{8, 0.1e-6, 0.25e-9}};
  return curves;
}

double total_s(const char* algorithm, std::uint32_t ranks, std::uint64_t bytes,
               std::uint32_t ranks_per_node) {
  Problem problem;
  problem.collective = algorithm_named(algorithm).collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  const Schedule schedule = make_schedule(algorithm_named(algorithm), problem);
  RunSetup setup;
  setup.curves = std::make_shared<const CostCurves>(curves());
  setup.same_node = [=](Rank a, Rank b) { return a / ranks_per_node == b / ranks_per_node; };
  const double path_s = CriticalPathEngine({}).run(schedule, setup).total_s;
  Crossbar crossbar;  // whose own latency and bandwidth are not asked
  crossbar.hosts = ranks;
  CrossbarNetwork network(crossbar);
  FlowSetup flow_setup;
  for (Rank rank = 0; rank < ranks; ++rank) {
    flow_setup.host_of_rank.push_back(rank);
  }
  CHECK(FlowEngine(network, flow_setup).run(schedule, setup).total_s ==
        Approx(path_s).epsilon(1e-9));
  return path_s;
}

}  // namespace

TEST_CASE("The piece of a size is the last that begins at or below it") {
  const CostCurve curve = curves().within_node.one_way;
  CHECK(curve.at(0).fixed_s == 1e-6);
  CHECK(curve.at(1023).fixed_s == 1e-6);
  CHECK(curve.at(1024).fixed_s == 5e-6);
  CHECK(curve.at(1 << 20).fixed_s == 5e-6);
}

TEST_CASE("Trees send one way, and cross from node to node where they do") {
  CHECK(total_s("bcast/binomial", 2, 800, 2) == Approx(1e-6 + 800e-9));
  CHECK(total_s("bcast/binomial", 2, 8000, 2) == Approx(5e-6 + 4000e-9));
  CHECK(total_s("bcast/binomial", 2, 800, 1) == Approx(10e-6 + 8000e-9));
  // Ranks 0 and 2 first, across; then each to its neighbour, within.
  CHECK(total_s("bcast/binomial", 4, 800, 2) == Approx(10e-6 + 8000e-9 + 1e-6 + 800e-9));
}

TEST_CASE("Who sends and receives in one round pays for an exchange") {
  // Recursive doubling on two ranks: one exchange, and a reduction.
  CHECK(total_s("allreduce/recursive_doubling", 2, 800, 2) ==
        Approx(2e-6 + 1600e-9 + 0.1e-6 + 200e-9));
  CHECK(total_s("allgather/ring", 4, 3200, 4) == Approx(3 * (2e-6 + 1600e-9)));
}

}  // namespace tutti
