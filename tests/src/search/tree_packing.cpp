// Packings of spanning trees.
#include "src/search/tree_packing.hpp"

#include <catch2/catch.hpp>

#include "tests/scratch_folder.hpp"
#include "tests/src/search/goals.hpp"

using namespace tutti;

namespace {

std::vector<PackedTree> packed(const Goal& goal, const TreeEdges& edges, std::uint32_t per_root) {
  const bool rooted = has_root(goal.problem.collective);
  const std::uint32_t roots = rooted ? 1 : goal.problem.ranks;
  std::vector<PackedTree> trees;
  for (std::uint32_t i = 0; i < roots * per_root; ++i) {
    trees.push_back({rooted ? goal.problem.root : i / per_root,
                     static_cast<double>(goal.problem.bytes) / (roots * per_root),
                     {}});
  }
  return pack_trees(edges, trees, 0.01, SearchRandom(1));
}

double above_bound(const TestGoal& test, std::uint32_t per_root) {
  const TreeEdges edges(test.goal);
  return maximum_load_s(edges, packed(test.goal, edges, per_root)) /
         bounds_of(test.machine).bounds.of(test.goal.problem).seconds();
}

}  // namespace

TEST_CASE("trees of an allgather load the links of a torus hardly more than the bound") {
  const ScratchFolder folder;
  const std::string file = (folder.path / "torus_27.xml").string();
  std::ofstream(file) << R"(<?xml version="1.0"?>
<platform version="4.1">
  <cluster id="torus" prefix="n" suffix="" radical="0-26" speed="1Gf" bw="5GBps" lat="400ns"
           sharing_policy="SPLITDUPLEX" topology="TORUS" topo_parameters="3,3,3"/>
</platform>
)";
  const TestGoal small(file, Collective::allgather, 27, 27 << 24U, kUnlimitedPorts);
  const double on_27 = above_bound(small, 3);
  CHECK(on_27 > 0.999);
  CHECK(on_27 < 1.02);
  const TestGoal large("torus_64.xml", Collective::allgather, 64, 64 << 24U, kUnlimitedPorts);
  const double on_64 = above_bound(large, 2);
  CHECK(on_64 > 0.999);
  CHECK(on_64 < 1.02);
}

TEST_CASE("trees of a broadcast share the ports of a crossbar evenly") {
  const TestGoal test("", Collective::bcast, 8, 1 << 28U);
  const double load = above_bound(test, 4);
  CHECK(load > 0.999);
  CHECK(load < 1.02);
}

TEST_CASE("trees do not use routes that pass a rank") {
  const TestGoal torus("torus_64.xml", Collective::allgather, 64, 64 * 64);
  CHECK(TreeEdges(torus.goal).edges().size() == 64 * 6);
  const TestGoal crossbar("", Collective::allgather, 8, 64);
  CHECK(TreeEdges(crossbar.goal).edges().size() == 8 * 7);
}
