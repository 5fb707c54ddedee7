#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "src/steps/simai/micro_batches.hpp"
#include "src/steps/simai/step.hpp"
#include "src/steps/simai/totals.hpp"

namespace tutti::test_steps_simai {

namespace {

// Two micro-batches, with collectives of every group, and sizes below, in and between those of
// SimAI's tables.
std::string workload_text(std::uint32_t tp, std::uint32_t ep, std::uint32_t pp, std::uint32_t vpp,
                          std::uint32_t gpus) {
  const std::string micro_batch =
      "embedding_layer -1 500000 ALLREDUCE 50000000 1 NONE 0 700000 NONE 0 100\n"
      "attention -1 300000 ALLGATHER 100000000 200000 REDUCESCATTER 30000000 100000 ALLREDUCE 3000 "
      "100\n"
      "moe -1 100000 ALLTOALL_EP 90000000 100000 ALLTOALL_EP 9000000 1 ALLREDUCE_EP 5000000 100\n";
  return fmt::format(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: {} pp: {} vpp: {} ga: 2 "
      "all_gpus: {} checkpoints: 0 checkpoint_initiates: 0 pp_comm: 1048576\n8\n"
      "grad_gather -1 1 NONE 0 1 NONE 0 1 ALLGATHER 20000000 100\n"
      "experts -1 1 NONE 0 1 NONE 0 1 REDUCESCATTER_DP_EP 40000000 100\n{}{}",
      tp, ep, pp, vpp, gpus, micro_batch, micro_batch);
}

std::vector<SimaiLayer> layers_named(const std::vector<std::string>& names) {
  std::vector<SimaiLayer> layers;
  for (const std::string& name : names) {
    layers.emplace_back().name = name;
  }
  return layers;
}

}  // namespace

// The expected values were computed with the functions of SimAI's own sources (commit cef83f9d).
TEST_CASE("SimAI's analytical totals are those of its own code") {
  struct Row {
    std::uint32_t tp, ep, pp, vpp, gpus;
    SimaiMachine machine;
    double dp_ns, dp_ep_ns, tp_ns, ep_ns, bubble_ns, total_ns;
  };
  for (const Row& row : {
           Row{2, 4, 2, 1, 64, {8, 8, 370.8, 50}, 306621, 558793, 670404, 488720, 1253984, 7278532},
           Row{4,
               4,
               2,
               2,
               128,
               {8, 8, 370.8, 50},
               481244,
               558793,
               1005610,
               2085906,
               1078694,
               9210257},
           Row{8,
               4,
               4,
               1,
               256,
               {8, 8, 160, 48.5},
               702088,
               384050,
               2718924,
               2936872,
               9355755,
               20097699},
           Row{16, 4, 1, 1, 256, {8, 8, 370.8, 50}, 830489, 558793, 1441926, 2848768, 0, 9679986},
           Row{2, 2, 1, 1, 16, {8, 4, 370.8, 25}, 681924, 1117587, 670404, 325812, 0, 6795737},
           Row{4,
               2,
               2,
               1,
               64,
               {4, 4, 100, 50},
               681924,
               558793,
               3728810,
               1899178,
               2915507,
               13784222},
       }) {
    INFO(row.tp << " " << row.ep << " " << row.pp << " on " << row.gpus << " GPUs");
    const SimaiTotals totals = simai_totals(
        parse_simai_workload(workload_text(row.tp, row.ep, row.pp, row.vpp, row.gpus), "test", {}),
        row.machine);
    const auto near = [](double ns) { return Approx(ns * 1e-9).epsilon(1e-5); };
    CHECK(totals.computing_s == near(4000010));
    CHECK(totals.dp_s == near(row.dp_ns));
    CHECK(totals.dp_ep_s == near(row.dp_ep_ns));
    CHECK(totals.tp_s == near(row.tp_ns));
    CHECK(totals.ep_s == near(row.ep_ns));
    CHECK(totals.bubble_s == near(row.bubble_ns));
    CHECK(totals.total_s() == near(row.total_ns));
  }
}

TEST_CASE("SimAI workloads: where micro-batches and chunks are") {
  SimaiWorkload workload;
  workload.micro_batches = 2;
  workload.layers =
      layers_named({"a", "embedding_layer", "x", "y", "embedding_layer", "x", "y", "b"});
  auto found = micro_batches_of(workload);
  REQUIRE(found);
  CHECK(found->first == 1);
  CHECK(found->size == 3);
  // Without embeddings, the longest ones that the layers allow.
  workload.layers = layers_named({"a", "x", "x", "y", "x", "x", "y", "b"});
  found = micro_batches_of(workload);
  REQUIRE(found);
  CHECK(found->first == 1);
  CHECK(found->size == 3);
  workload.layers[4].forward.bytes = 1;
  CHECK_FALSE(micro_batches_of(workload));
  // A single one ends before what belongs to the whole step.
  workload.micro_batches = 1;
  workload.layers = layers_named({"grads", "embedding_layer", "x", "cross_entropy1", "optimizer1"});
  found = micro_batches_of(workload);
  REQUIRE(found);
  CHECK(found->first == 1);
  CHECK(found->size == 2);

  const auto layers = layers_named({"embedding_layer", "x", "y", "x", "y", "final"});
  const auto chunks = chunks_of(layers, 2);
  REQUIRE(chunks);
  CHECK(*chunks == std::vector<std::size_t>{0, 3, 6});
  CHECK_FALSE(chunks_of(layers, 3));
}

TEST_CASE("SimAI workloads: the groups of a step") {
  const StepDescription step =
      step_of(parse_simai_workload(workload_text(2, 4, 2, 1, 64), "t", {}));
  const auto members = [&](std::string_view name) {
    for (const StepGroup& group : step.groups) {
      if (group.name == name) {
        return group.members.front();
      }
    }
    return std::vector<Rank>{};
  };
  CHECK(members("tp") == std::vector<Rank>{0, 1});
  CHECK(members("ep") == std::vector<Rank>{0, 2, 4, 6});
  CHECK(members("dp_ep") == std::vector<Rank>{0, 8, 16, 24});
  CHECK(members("dp").size() == 16);
  CHECK(members("dp")[5] == 10);
  CHECK(members("pp") == std::vector<Rank>{0, 32});
}

}  // namespace tutti::test_steps_simai
