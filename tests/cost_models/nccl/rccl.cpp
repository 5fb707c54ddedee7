#include "cost_models/nccl/rccl.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "cost_models/nccl/machine.hpp"
#include "cost_models/nccl/why_not.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_rccl {

namespace {

// Returns the model's results for a call as in rccl_samples.txt.
std::string results_of(const NcclModel& model, Collective collective, std::uint64_t bytes) {
  std::string words;
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      const auto algorithm = static_cast<NcclAlgorithm>(a);
      const auto protocol = static_cast<NcclProtocol>(p);
      const auto time = model.time_us(collective, algorithm, protocol, bytes);
      CHECK(nccl_why_not(model, collective, algorithm, protocol).empty() == time.has_value());
      if (time) {
        words += fmt::format("{}{}={:08x} ", a, p, std::bit_cast<std::uint32_t>(*time));
      }
    }
  }
  const auto choice = model.choose(collective, bytes);
  REQUIRE(choice);
  return words + fmt::format("> {}{} {} {}", static_cast<int>(choice->algorithm),
                             static_cast<int>(choice->protocol), choice->channels, choice->threads);
}

}  // namespace

TEST_CASE("RCCL's model agrees with the library to the last bit") {
  std::ifstream file(source_dir() + "/tests/cost_models/nccl/rccl_samples.txt");
  std::string line;
  int calls = 0;
  std::set<std::string> choices;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream in(line);
    std::string gpu;
    std::string cpu;
    std::uint32_t nodes = 0;
    std::string collective;
    std::uint64_t bytes = 0;
    in >> gpu >> cpu >> nodes >> collective >> bytes >> std::ws;
    std::string expected;
    std::getline(in, expected);
    NcclMachine machine = nccl_gpu_named(gpu)->machine;
    machine.cpu = cpu == "amd" ? NcclCpu::amd : NcclCpu::intel;
    const NcclModel model(cluster_of(machine, 8 * nodes));
    CHECK(model.cluster().release->title() == "RCCL 2.21.5");
    INFO(line);
    CHECK(results_of(model, collective_named(collective).value(), bytes) == expected);
    choices.insert(expected.substr(expected.find('>') + 2, 2));
    ++calls;
  }
  CHECK(calls == 660);
  CHECK(choices == std::set<std::string>{"00", "02", "10", "12"});
}

TEST_CASE("RCCL's rings are known only for whole nodes") {
  const NcclMachine& machine = nccl_gpu_named("mi300x")->machine;
  CHECK_THROWS_WITH(cluster_of(machine, 4), Catch::Contains("whole nodes of 8 mi300x"));
  CHECK_THROWS_WITH(cluster_of(machine, 20), Catch::Contains("a multiple of 8"));
  CHECK(cluster_of(machine, 8).cards == 0);
  CHECK(cluster_of(machine, 16).cards == 8);
}

}  // namespace tutti::test_rccl
