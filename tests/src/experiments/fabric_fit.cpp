// Tests fits of how NCCL uses a network, to times that a known model has made.
#include "src/experiments/fit/fabric_fit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>

#include "base/error.hpp"
#include "src/experiments/fit/fabric_plan.hpp"

namespace tutti::test_fabric_fit {
namespace {

NcclOptions machine(const char* gpu) {
  NcclOptions options;
  options.gpu = gpu;
  return options;
}

NcclFabric truth() {
  NcclFabric fabric = nccl_fabric_start();
  fabric.path_growth = 0.2;
  fabric.eager_bytes = 16384;
  fabric.ll_hop_s = 8e-6;
  fabric.ll_message_s = 12e-6;
  fabric.ll_channels_s = 2e-6;
  fabric.ll_hop_bytes_per_s = 9e9;
  fabric.ll_ring_step_s = 4e-6;
  fabric.ll_ring_bytes_per_s = 2e9;
  fabric.simple_hop_s = 30e-6;
  fabric.simple_hop_bytes_per_s = 60e9;
  fabric.tree_hop_bytes = 3e6;
  fabric.tree_bytes_per_s = 120e9;
  fabric.tree_nodes = 60;
  fabric.ring_step_s = 50e-6;
  fabric.ring_share = 0.8;
  return fabric;
}

// Calls of each tree and ring on several numbers of nodes of 4 GH200, whose times are those of
// `fabric`, multiplied by random factors whose logarithms have the standard deviation `noise`.
MeasuredCalls calls_of(const NcclFabric& fabric, double noise,
                       const std::vector<std::uint32_t>& nodes) {
  std::mt19937 random(17);  // NOLINT(bugprone-random-generator-seed): the same calls each time
  std::normal_distribution<double> normal(0, noise);
  MeasuredCalls made;
  made.machine = "nodes of 4 gh200";
  made.gpu = "gh200";
  made.gpus_per_node = 4;
  made.library = "NCCL 2.23.4";
  made.nodes = nodes;
  for (const std::uint32_t count : nodes) {
    const auto model = std::make_shared<const NcclModel>(machine("gh200").job(4 * count).cluster);
    for (const NcclAlgorithm algorithm : {NcclAlgorithm::tree, NcclAlgorithm::ring}) {
      for (const NcclProtocol protocol : {NcclProtocol::ll, NcclProtocol::simple}) {
        for (std::uint64_t bytes = 8; bytes <= 1U << 30U; bytes *= 2) {
          MeasuredCall call;
          call.model = model;
          call.algorithm = algorithm;
          call.protocol = protocol;
          call.bytes = bytes;
          call.own_s =
              double{*model->time_us(Collective::allreduce, algorithm, protocol, bytes)} / 1e6;
          call.measured_s = call.seconds(fabric).value() * std::exp(normal(random));
          made.calls.push_back(call);
        }
      }
    }
  }
  return made;
}

const std::vector<std::uint32_t> kNodes{2, 4, 16, 64, 256};

}  // namespace

TEST_CASE("Times of a fabric follow its formula") {
  const NcclFabric fabric = truth();
  const NcclModel model(machine("gh200").job(64).cluster);  // 16 nodes
  const auto us = [&](NcclAlgorithm algorithm, NcclProtocol protocol, std::uint64_t bytes) {
    return nccl_fabric_us(model, fabric, Collective::allreduce, algorithm, protocol, bytes).value();
  };
  // A tree on 16 nodes has 8 hops, each 1 + 3 * 0.2 times as long. Without the hops, NCCL's model
  // counts 10.4 us for LL and 22.4 us for Simple: its base, and 2 * 3 steps within a node.
  const double base_ll =
      double{model.cost(Collective::allreduce, NcclAlgorithm::tree, NcclProtocol::ll).latency_us} -
      8 * 5;
  CHECK(us(NcclAlgorithm::tree, NcclProtocol::ll, 1024) ==
        Approx(base_ll + 8 * (8 * 1.6 + 2 * 1024 / 9e3)));
  // 64 KiB in 8 channels: 8 KiB each, 16 KiB with flags, which is still eager; 128 KiB is not.
  CHECK(us(NcclAlgorithm::tree, NcclProtocol::ll, 65536) ==
        Approx(base_ll + 8 * (8 * 1.6 + 2 * 65536 / 9e3)));
  CHECK(us(NcclAlgorithm::tree, NcclProtocol::ll, 131072) ==
        Approx(base_ll + 8 * (8 * 1.6 + 12 + 2 * 3 + 2 * 131072 / 9e3)));
  // Beyond 32 KiB in each channel, the hops overlap.
  CHECK(
      us(NcclAlgorithm::tree, NcclProtocol::ll, 1 << 20) ==
      Approx(base_ll + 8 * (8 * 1.6 + 12 + 2 * 3 + 2 * 262144 / 9e3) + ((1 << 20) - 262144) / 9e3));
  const double base_simple =
      double{
          model.cost(Collective::allreduce, NcclAlgorithm::tree, NcclProtocol::simple).latency_us} -
      8 * 14;
  const double slower = 1 + 3 * (1 - std::exp(-16.0 / 60));
  CHECK(us(NcclAlgorithm::tree, NcclProtocol::simple, 1 << 20) ==
        Approx(base_simple + 8 * (30 * 1.6 + (1 << 20) / 60e3) + (1 << 20) / 120e3 * slower));
  CHECK(us(NcclAlgorithm::tree, NcclProtocol::simple, 64 << 20) ==
        Approx(base_simple + 8 * (30 * 1.6 + 3e6 / 60e3) + (64 << 20) / 120e3 * slower));
  // Two nodes send the data once, more nodes twice.
  const NcclModel two(machine("gh200").job(8).cluster);
  const double base_two =
      double{
          two.cost(Collective::allreduce, NcclAlgorithm::tree, NcclProtocol::simple).latency_us} -
      2 * 14;
  CHECK(nccl_fabric_us(two, fabric, Collective::allreduce, NcclAlgorithm::tree,
                       NcclProtocol::simple, 64 << 20)
            .value() == Approx(base_two + 2 * (30 + 3e6 / 60e3) +
                               (64 << 20) / 120e3 / 2 * (1 + 3 * (1 - std::exp(-2.0 / 60)))));
  const double ring_ll =
      double{model.cost(Collective::allreduce, NcclAlgorithm::ring, NcclProtocol::ll).latency_us};
  CHECK(us(NcclAlgorithm::ring, NcclProtocol::ll, 1 << 20) ==
        Approx(ring_ll + 126 * 4 + 2 * 63.0 / 64 * (1 << 20) / 2e3));
  // Short calls take the steps, long ones the bytes.
  CHECK(us(NcclAlgorithm::ring, NcclProtocol::simple, 1024) == Approx(126 * 50).epsilon(1e-4));
  const double gb_per_s =
      double{model.cost(Collective::allreduce, NcclAlgorithm::ring, NcclProtocol::simple).gb_per_s};
  CHECK(
      us(NcclAlgorithm::ring, NcclProtocol::simple, std::uint64_t{64} << 30U) ==
      Approx(static_cast<double>(std::uint64_t{64} << 30U) / (gb_per_s * 1e3 * 0.8)).epsilon(1e-4));
}

TEST_CASE("A fabric leaves out what it does not know") {
  NcclFabric fabric = truth();
  const NcclModel model(machine("gh200").job(64).cluster);
  const auto covers = [&](Collective collective, NcclAlgorithm algorithm, NcclProtocol protocol) {
    return nccl_fabric_us(model, fabric, collective, algorithm, protocol, 4096).has_value();
  };
  CHECK(covers(Collective::allgather, NcclAlgorithm::ring, NcclProtocol::ll));
  CHECK_FALSE(covers(Collective::bcast, NcclAlgorithm::ring, NcclProtocol::ll));
  fabric.ll_ring_step_s = NcclFabric::kUnknown;
  CHECK_FALSE(covers(Collective::allgather, NcclAlgorithm::ring, NcclProtocol::ll));
  CHECK(covers(Collective::allreduce, NcclAlgorithm::tree, NcclProtocol::ll));
  const NcclModel one_node(machine("gh200").job(4).cluster);
  CHECK_FALSE(nccl_fabric_us(one_node, truth(), Collective::allreduce, NcclAlgorithm::ring,
                             NcclProtocol::simple, 4096));
  const NcclModel h100(machine("h100").job(64).cluster);
  for (const NcclAlgorithm algorithm : {NcclAlgorithm::tree, NcclAlgorithm::ring}) {
    CHECK(nccl_fabric_us(h100, truth(), Collective::allreduce, algorithm, NcclProtocol::ll128,
                         1 << 20));
  }
}

TEST_CASE("A fit finds the figures that made the times") {
  const NcclFabric made = truth();
  const FabricFitResult fit = fit_fabric(calls_of(made, 0.05, kNodes), nccl_fabric_start(), 0.01);
  CHECK(fit.at_rest);
  CHECK(fit.file.model.eager_bytes == made.eager_bytes);
  CHECK(fit.file.nodes == kNodes);
  CHECK(fit.figures.size() == 14);
  std::size_t inside = 0;
  for (const FabricFigure& each : fit.figures) {
    INFO(each.parameter->name);
    const double value = made.*each.parameter->value;
    CHECK(each.fitted == Approx(value).epsilon(0.4));
    inside += each.low <= value && value <= each.high ? 1 : 0;
  }
  CHECK(inside >= 12);
  CHECK(fit.unknown.size() == 4);
  for (const NcclFabricParameter* const each : fit.unknown) {
    INFO(each->name);
    CHECK(each->name.starts_with("ll128_"));
    CHECK(std::isnan(fit.file.model.*each->value));
  }
  REQUIRE(fit.left_out);
  CHECK(fit.left_out->scores.back().what == "all");
  CHECK(fit.left_out->scores.back().factor < 1.2);
}

TEST_CASE("A fit to short calls alone knows little") {
  MeasuredCalls calls = calls_of(truth(), 0.02, kNodes);
  std::erase_if(calls.calls, [](const MeasuredCall& call) { return call.bytes > 1024; });
  const FabricFitResult fit = fit_fabric(calls, nccl_fabric_start(), 0.01);
  std::set<std::string_view> unknown;
  for (const NcclFabricParameter* const each : fit.unknown) {
    unknown.insert(each->name);
  }
  // All messages of trees with LL are eager, and in one channel.
  CHECK(unknown.contains("ll_message_s"));
  CHECK(unknown.contains("ll_channels_s"));
  const NcclModel model(machine("gh200").job(64).cluster);
  const auto covers = [&](std::uint64_t bytes) {
    return nccl_fabric_us(model, fit.file.model, Collective::allreduce, NcclAlgorithm::tree,
                          NcclProtocol::ll, bytes)
        .has_value();
  };
  CHECK(covers(512));
  CHECK_FALSE(covers(1 << 20));
  CHECK(fit.file.was_measured(Collective::allreduce, NcclAlgorithm::ring, NcclProtocol::ll, 4096));
  CHECK_FALSE(
      fit.file.was_measured(Collective::allreduce, NcclAlgorithm::ring, NcclProtocol::ll, 8192));
  CHECK_FALSE(
      fit.file.was_measured(Collective::allgather, NcclAlgorithm::ring, NcclProtocol::ll, 512));
}

TEST_CASE("Scores count what they say") {
  MeasuredCalls calls = calls_of(truth(), 0, {4, 16});
  FabricFile file;
  file.model = truth();
  std::vector<FabricPrediction> models = fabric_predictions(calls, &file);
  REQUIRE(models.size() == 3);
  CHECK(models[2].scores.back().factor == Approx(1));
  CHECK(models[2].scores.back().calls == calls.calls.size());
  CHECK(models[0].scores.back().factor > 1.5);
  // Half of the calls twice as long, the other half half as long.
  for (std::size_t i = 0; i < calls.calls.size(); ++i) {
    calls.calls[i].measured_s *= i % 2 == 0 ? 2 : 0.5;
  }
  models = fabric_predictions(calls, &file);
  CHECK(models[2].scores.back().factor == Approx(2));
  CHECK(models[2].scores.back().bias == Approx(1));
  CHECK(models[2].scores.back().near == 0);
  std::set<std::string> names;
  for (const FabricScore& score : models[2].scores) {
    names.insert(score.what);
  }
  CHECK(names.contains("4 nodes"));
  CHECK(names.contains("4 KiB to 1 MiB"));
  // Near are those within 25 %.
  for (std::size_t i = 0; i < calls.calls.size(); ++i) {
    calls.calls[i].measured_s =
        calls.calls[i].seconds(file.model).value() * (i % 4 == 0 ? 1.3 : 1.2);
  }
  models = fabric_predictions(calls, &file);
  CHECK(models[2].scores.back().near == Approx(0.75));
  CHECK(models[2].scores.back().bias == Approx(std::pow(1.3, -0.25) * std::pow(1.2, -0.75)));
}

TEST_CASE("Ranges hold as many times as they should") {
  const FabricFitResult fit = fit_fabric(calls_of(truth(), 0.2, kNodes), nccl_fabric_start(), 0.01);
  const MeasuredCalls others = calls_of(truth(), 0.2, {8, 32, 128});
  const auto models = fabric_predictions(others, &fit.file);
  REQUIRE(models.back().scores.back().in_range);
  CHECK(*models.back().scores.back().in_range > 0.7);
  CHECK(*models.back().scores.back().in_range < 0.97);
}

TEST_CASE("A fit needs times between nodes") {
  CHECK_THROWS_AS(fit_fabric(calls_of(truth(), 0, {}), nccl_fabric_start(), 0.01), UserError);
  MeasuredCalls few = calls_of(truth(), 0, {4});
  few.calls.resize(2);
  CHECK_THROWS_AS(fit_fabric(few, nccl_fabric_start(), 0.01), UserError);
}

TEST_CASE("A plan of runs fits into its time and determines the figures") {
  const FabricPlan plan = plan_fabric(machine("h100"), nccl_fabric_start(), 128, 1800);
  double all_s = 0;
  bool checks = false;
  for (const FabricRun& run : plan.runs) {
    all_s += run.run_s;
    CHECK_FALSE((checks && !run.is_check()));
    checks = run.is_check();
    CHECK(run.ranks == 8 * run.nodes);
  }
  CHECK(checks);
  CHECK(all_s == Approx(plan.run_s));
  CHECK(plan.run_s <= 1800);
  const FabricPlan shorter = plan_fabric(machine("h100"), nccl_fabric_start(), 128, 120);
  CHECK(shorter.runs.size() < plan.runs.size());
  CHECK(shorter.run_s <= 120);
  CHECK(plan.figures.size() == 18);
  CHECK_THROWS_AS(plan_fabric(machine("h100"), nccl_fabric_start(), 8, 1800), UserError);
  CHECK_THROWS_AS(plan_fabric(machine("h100"), nccl_fabric_start(), 128, 20), UserError);
  CHECK_THROWS_AS(plan_fabric(machine("h100"), nccl_fabric_start(), 60, 1800), UserError);
  // Racks of 72 GPUs have hosts of 4.
  for (const FabricRun& run : plan_fabric(machine("gb200"), nccl_fabric_start(), 144, 1800).runs) {
    CHECK(run.hosts == run.ranks / 4);
    CHECK(run.ranks == 72 * run.nodes);
  }
}

}  // namespace tutti::test_fabric_fit
