// Tests that runs with several message models have the times of the single runs, although models
// that differ only in parameters without effect are run once.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/messages.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "tests/machine_options.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_parameters_in_use {
namespace {

constexpr std::uint32_t kRanks = 8;

Machine machine_of(std::uint32_t ranks_per_host, const std::string& placement, bool after_barrier) {
  std::vector<std::string> words{
      "--platform",   "crossbar:8,bw=10Gbps,lat=1us",
      "--parameters", source_dir() + "/examples/supercomputers/parameters/lumi.json",
      "--placement",  placement};
  if (after_barrier) {
    words.emplace_back("--after-barrier");
  }
  KeptMessages messages;
  return machine_options(words).open(messages).machine(kRanks, ranks_per_host, 4);
}

// A model in which every parameter has a value that matters to some run.
MessageModel full_model(const Machine& machine) {
  MessageModel model = *machine.files.messages;
  for (const MessageParameter& each : message_parameters()) {
    double& value = model.*each.value;
    if (each.unit == "s" && !(value > 0 && value < 1)) {
      value = 2e-7;
    } else if (each.unit == "s/B" && value == 0) {
      value = 1e-10;
    } else if (each.unit == "B/s" && value > 1e15) {
      value = 3e9;
    }
  }
  model.inline_bytes = 64;
  model.eager_bytes = 4096;
  model.bulk_bytes = 65536;
  model.long_bytes = 262144;
  model.cache_bytes = 1 << 20U;
  model.fresh_bytes = 1 << 20U;
  model.load = 0.1;
  return model;
}

}  // namespace

TEST_CASE("a run with many message models has the times of the single runs") {
  std::size_t left_out = 0;
  std::size_t effects = 0;
  for (const std::uint32_t per_host : {1U, 3U, kRanks}) {
    for (const auto& [placement, after_barrier] :
         {std::pair("block", false), {"block", true}, {"cyclic", true}}) {
      const Machine machine = machine_of(per_host, placement, after_barrier);
      MessageModels models{std::make_shared<const MessageModel>(full_model(machine))};
      for (const MessageParameter& each : message_parameters()) {
        MessageModel moved = *models.front();
        moved.*each.value = std::clamp(moved.*each.value * 1.25, each.least, each.most);
        models.push_back(std::make_shared<const MessageModel>(moved));
      }
      for (const std::string_view name :
           {"allreduce/ring", "allreduce/recursive_doubling", "allgather/bruck", "bcast/pipeline",
            "alltoall/linear", "reduce_scatter/recursive_halving"}) {
        for (const std::uint64_t bytes : {64U, 4096U, 65536U, 4U << 20U}) {
          const Algorithm& algorithm = algorithm_named(name);
          Problem problem = problem_of(algorithm.collective, kRanks, bytes / 4);
          problem.element_bytes = 4;
          const Case what{&algorithm, problem, &machine};
          const std::vector<double> times = times_with(models, what);
          REQUIRE(times.size() == models.size());
          for (std::size_t i = 0; i < models.size(); ++i) {
            INFO(name << ", " << bytes << " bytes, " << per_host << " per host, parameter "
                      << (i > 0 ? message_parameters()[i - 1].name : ""));
            CHECK(times[i] == times_with({models[i]}, what).front());
            effects += times[i] != times.front() ? 1 : 0;
            left_out += times[i] == times.front() ? 1 : 0;
          }
          // The caller may know the first time.
          CHECK(times_with(models, what, times.front()) == times);
        }
      }
    }
  }
  CHECK(effects > 100);
  CHECK(left_out > 100);
}

}  // namespace tutti::test_parameters_in_use
