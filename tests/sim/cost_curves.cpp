// Tests, for measured costs, which piece of a cost curve applies to an operation, and that both
// engines use this piece.
#include "schedules/cost_curves.hpp"

#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::test_cost_curves {
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
               std::uint32_t ranks_per_node, const CostCurves& machine = curves()) {
  Problem problem;
  problem.collective = algorithm_named(algorithm).collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  const Schedule schedule = make_schedule(algorithm_named(algorithm), problem);
  RunSetup setup;
  setup.curves = std::make_shared<const CostCurves>(machine);
  setup.same_node = [=](Rank a, Rank b) { return a / ranks_per_node == b / ranks_per_node; };
  const double path_s = CriticalPathEngine({}).run(schedule, setup).total_s;
  Crossbar crossbar;  // its latency and bandwidth are ignored, because `setup` has curves
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

TEST_CASE("The piece for a size is the last one that begins at or below it") {
  const CostCurve curve = curves().within_node.one_way;
  CHECK(curve.at(0, 0).fixed_s == 1e-6);
  CHECK(curve.at(1023, 0).fixed_s == 1e-6);
  CHECK(curve.at(1024, 0).fixed_s == 5e-6);
  CHECK(curve.at(1 << 20, 0).fixed_s == 5e-6);
}

TEST_CASE("A byte costs more where more data are touched, however small the message") {
  CostCurve curve = curves().within_node.one_way;
  curve.memory = {{1e6, 0.5e-9}, {4e6, 2.5e-9}};
  CHECK(curve.at(2000, 0.5e6).s_per_byte == 0.5e-9);
  // On a logarithmic scale, 2e6 is half way between 1e6 and 4e6.
  CHECK(curve.at(2000, 2e6).s_per_byte == Approx(1.5e-9));
  CHECK(curve.at(2000, 4e6).s_per_byte == Approx(2.5e-9));
  CHECK(curve.at(2000, 1e9).s_per_byte == Approx(2.5e-9));
  // The larger cost per byte applies. For 100 bytes, this is the cost of the curve's piece, because
  // the memory costs less.
  CHECK(curve.at(100, 1e6).s_per_byte == 1e-9);
}

TEST_CASE("Trees send in one direction, and pay for node crossings only where they have them") {
  CHECK(total_s("bcast/binomial", 2, 800, 2) == Approx(1e-6 + 800e-9));
  CHECK(total_s("bcast/binomial", 2, 8000, 2) == Approx(5e-6 + 4000e-9));
  CHECK(total_s("bcast/binomial", 2, 800, 1) == Approx(10e-6 + 8000e-9));
  // Rank 0 sends to rank 2 on the other node. Then ranks 0 and 2 each send to the other rank of
  // their own node.
  CHECK(total_s("bcast/binomial", 4, 800, 2) == Approx(10e-6 + 8000e-9 + 1e-6 + 800e-9));
}

TEST_CASE("A rank that sends and receives in one round pays for an exchange") {
  // Recursive doubling on two ranks consists of one exchange and a reduction.
  CHECK(total_s("allreduce/recursive_doubling", 2, 800, 2) ==
        Approx(2e-6 + 1600e-9 + 0.1e-6 + 200e-9));
  CHECK(total_s("allgather/ring", 4, 3200, 4) == Approx(3 * (2e-6 + 1600e-9)));
}

TEST_CASE("Nothing starts before the start-up time of the ranks is over") {
  CostCurves machine = curves();
  machine.start_s = 3e-6;
  CHECK(total_s("bcast/binomial", 2, 800, 2, machine) == Approx(3e-6 + 1e-6 + 800e-9));
  CHECK(total_s("bcast/binomial", 1, 800, 2, machine) == 0);  // a single rank has nothing to do
}

TEST_CASE("A core that moves data cannot copy or reduce meanwhile") {
  CostCurves machine = curves();
  machine.copy.pieces = {{8, 0.5e-6, 0}};
  const double exchange_s = 2e-6 + 400 * 2e-9;
  // Each rank copies its own block while it receives the other rank's block.
  CHECK(total_s("alltoall/linear", 2, 800, 2, machine) == Approx(exchange_s));
  machine.within_node.by_core = true;
  CHECK(total_s("alltoall/linear", 2, 800, 2, machine) == Approx(exchange_s + 0.5e-6));
  // A message between nodes does not occupy a core, so the copy adds no time.
  CHECK(total_s("alltoall/linear", 2, 800, 1, machine) == Approx(20e-6 + 400 * 20e-9));
}

TEST_CASE("A reduction into data just sent has its own price") {
  CostCurves machine = curves();
  machine.reduce_sent.pieces = {{8, 7e-6, 0}};
  // A rank sends the whole vector, and reduces the received data into it.
  CHECK(total_s("allreduce/recursive_doubling", 2, 800, 2, machine) ==
        Approx(2e-6 + 1600e-9 + 7e-6));
  // A rank sends one half, and reduces the received data into the other half.
  CHECK(total_s("allreduce/rabenseifner", 2, 800, 2, machine) ==
        Approx(2 * (2e-6 + 800e-9) + 0.1e-6 + 100e-9));
}

}  // namespace tutti::test_cost_curves
