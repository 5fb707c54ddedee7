#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "cost_models/bounds/network_bound.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "tests/platforms/gpu_platforms.hpp"
#include "tests/platforms/rail_nodes.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_never_beaten {

namespace {

std::uint64_t seed_of_cells() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261127;
}

OpenedMachine opened(const std::string& platform) {
  OpenedMachine machine;
  if (!platform.empty()) {
    machine.spec.source.file = platform;
    open_platform(machine.spec, machine.files);
  }
  return machine;
}

// The built-in crossbar, whose path is empty, and all platforms that are kept in the project.
std::vector<std::string> kept_platforms() {
  std::vector<std::string> found{""};
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/platforms")) {
    if (entry.path().extension() == ".xml") {
      found.push_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct Cell {
  const Algorithm* algorithm = nullptr;
  std::string platform;
  std::uint32_t ranks = 2;
  std::uint32_t ranks_per_host = 1;
  std::uint32_t ports = 1;
  std::uint64_t bytes = 8;
  Rank root = 0;
  bool eager = false;
};

class Judge {
 public:
  // Simulates the cell and compares its time with the bound. Returns false if the algorithm or the
  // platform cannot run it.
  bool check_cell(const Cell& cell) {
    if (cell.algorithm->in_network()) {
      return false;
    }
    Problem problem;
    problem.collective = cell.algorithm->collective;
    problem.ranks = cell.ranks;
    problem.bytes = problem.collective == Collective::barrier ? 0 : cell.bytes;
    problem.root = has_root(problem.collective) ? cell.root : 0;
    problem.ranks_per_node = cell.ranks_per_host;
    OpenedMachine& platform = machine_of(cell.platform);
    platform.spec.ports = cell.ports;
    platform.spec.eager_bytes = cell.eager ? std::optional<std::uint64_t>(1U << 16U) : std::nullopt;
    std::optional<Schedule> schedule;
    std::optional<Machine> machine;
    try {
      check(*cell.algorithm, problem);
      schedule = make_schedule(*cell.algorithm, problem);
      machine = platform.machine(cell.ranks, cell.ranks_per_host, problem.element_bytes);
      (void)describe(*machine);  // throws if the ranks do not fit
    } catch (const UserError&) {
      return false;
    }
    if (why_no_bound(*machine)) {
      return false;
    }
    const double simulated_s = run_with_flow(*schedule, *machine).timeline.total_s;
    const NetworkBound bound = bounds_of(*machine).bounds.of(problem);
    INFO(cell.algorithm->full_name()
         << " -p " << cell.ranks << " -n " << cell.bytes << " --root " << cell.root << " --ports "
         << cell.ports << " --ranks-per-host " << cell.ranks_per_host << " on " << cell.platform
         << (cell.eager ? ", eager" : ""));
    for (const BoundPart& part : bound.parts) {
      INFO("kind " << name(part.kind) << ", form " << name(part.form));
      REQUIRE(simulated_s >= part.seconds * (1 - 1e-9));
    }
    return true;
  }

 private:
  OpenedMachine& machine_of(const std::string& platform) {
    const auto [at, is_new] = machines_.try_emplace(platform);
    if (is_new) {
      at->second = opened(platform);
    }
    return at->second;
  }

  std::map<std::string, OpenedMachine> machines_;
};

Cell random_cell(std::mt19937_64& random, const Algorithm& algorithm,
                 const std::vector<std::string>& platforms, std::uint32_t ranks) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  constexpr std::uint32_t kPorts[]{1, 2, 0};
  constexpr std::uint64_t kSizes[]{64, 4096, 65536, 1'000'000};
  Cell cell;
  cell.algorithm = &algorithm;
  cell.platform = platforms[below(platforms.size())];
  cell.ranks = ranks;
  cell.ranks_per_host = below(2) == 0 ? 1 : 8;
  cell.ports = kPorts[below(3)];
  cell.bytes = kSizes[below(4)] / 8 * 8;
  cell.root = below(ranks);
  cell.eager = below(4) == 0;
  return cell;
}

}  // namespace

TEST_CASE("no algorithm is faster than the bounds, on a sample of kept platforms") {
  const std::uint64_t seed = seed_of_cells();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const std::vector<std::string> platforms = kept_platforms();
  Judge judge;
  std::size_t run = 0;
  for (std::uint64_t i = 0; i < algorithms().size(); ++i) {
    std::mt19937_64 random(seed + i);
    const Algorithm& algorithm = *algorithms()[i];
    run += judge.check_cell(random_cell(random, algorithm, platforms,
                                        static_cast<std::uint32_t>(2 + random() % 16)))
               ? 1
               : 0;
  }
  REQUIRE(run > algorithms().size() / 2);
}

TEST_CASE("no algorithm is faster than the bounds, on many cells", "[slow]") {
  const std::uint64_t seed = seed_of_cells();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const std::vector<std::string> platforms = kept_platforms();
  Judge judge;
  for (std::uint64_t i = 0; i < algorithms().size(); ++i) {
    std::mt19937_64 random(seed + 1000 + i);
    const Algorithm& algorithm = *algorithms()[i];
    for (const std::string& platform : platforms) {
      for (std::uint32_t ranks = 2; ranks <= 19; ++ranks) {
        Cell cell = random_cell(random, algorithm, platforms,
                                ranks == 18   ? 32
                                : ranks == 19 ? 64
                                              : ranks);
        cell.platform = platform;
        (void)judge.check_cell(cell);
      }
    }
  }
}

TEST_CASE("no algorithm is faster than the bounds, on random nodes of several devices") {
  const std::uint64_t seed = seed_of_cells();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const ScratchFolder folder;
  std::vector<std::string> platforms;
  route_differences::Random figures(static_cast<std::uint32_t>(seed));
  for (std::uint32_t i = 0; i < 24; ++i) {
    platforms.push_back(folder.path / fmt::format("{}.xml", i));
    RailNodes listed;
    listed.nodes = figures(2, 5);
    listed.hosts = figures(2, 4);
    listed.inner_bytes_per_s = 1e9 * figures(1, 9);
    listed.card_bytes_per_s = 1e9 * figures(1, 3);
    listed.trunk_bytes_per_s = 1e9 * figures(1, 9);
    std::ofstream(platforms.back())
        << (i % 3 == 0 ? to_xml(listed) : to_xml(gpu_platforms::random_gpus(figures, 48)));
  }
  Judge judge;
  std::size_t run = 0;
  for (std::uint64_t i = 0; i < 3 * algorithms().size(); ++i) {
    std::mt19937_64 random(seed + i);
    Cell cell = random_cell(random, *algorithms()[i / 3], platforms,
                            static_cast<std::uint32_t>(2 + random() % 30));
    cell.ranks_per_host = 1;
    run += judge.check_cell(cell) ? 1 : 0;
  }
  REQUIRE(run > algorithms().size());
}

TEST_CASE("some algorithms reach the bounds") {
  const auto reached = [](const char* algorithm, std::uint32_t ranks, std::uint32_t ports,
                          double latency_s, std::uint64_t bytes) {
    OpenedMachine opened_machine = opened("");
    opened_machine.spec.ports = ports;
    opened_machine.spec.source.crossbar.latency_s = latency_s;
    Problem problem;
    problem.collective = algorithm_named(algorithm).collective;
    problem.ranks = ranks;
    problem.bytes = bytes;
    const Machine machine = opened_machine.machine(ranks, 1, problem.element_bytes);
    const double simulated_s =
        run_with_flow(make_schedule(algorithm_named(algorithm), problem), machine).timeline.total_s;
    INFO(algorithm);
    CHECK(bounds_of(machine).bounds.of(problem).seconds() ==
          Approx(simulated_s).epsilon(1e-9).margin(0));
  };
  reached("allgather/ring", 8, 1, 0, 8000);
  reached("allgather/direct", 8, kUnlimitedPorts, 2e-6, 8000);
  reached("barrier/dissemination", 13, 1, 2e-6, 0);
  reached("alltoall/linear", 8, kUnlimitedPorts, 2e-6, 8000);
  reached("gather/linear", 8, kUnlimitedPorts, 2e-6, 8000);
  // Latencies and bytes together, with one port.
  reached("allgather/bruck", 13, 1, 2e-6, 13 * 8 * 500);
  reached("gather/binomial", 16, 1, 2e-6, 16 * 8 * 500);
  reached("scatter/binomial", 16, 1, 2e-6, 16 * 8 * 500);
  reached("alltoall/pairwise", 13, 1, 2e-6, 13 * 8 * 500);
}

}  // namespace tutti::test_never_beaten
