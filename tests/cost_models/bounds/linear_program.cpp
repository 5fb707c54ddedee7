#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>

#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/length_search.hpp"
#include "tests/cost_models/bounds/wired_network.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_linear_program {

namespace {

std::uint64_t seed_of_networks() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261127;
}

// Writes the linear program of the least time in which all pieces can be sent as a fluid, with one
// flow for each source, in microseconds, kilobytes and gigabytes per second.
std::string program_of(const WiredNetwork& network, const std::vector<std::uint64_t>& pieces) {
  const std::uint32_t hosts = network.hosts();
  const std::vector<WiredNetwork::Wire>& wires = network.wires();
  std::ostringstream text;
  text << "Minimize\n time: t\nSubject To\n";
  for (std::size_t wire = 0; wire < wires.size(); ++wire) {
    for (std::uint32_t source = 0; source < hosts; ++source) {
      text << " + f" << source << "_" << wire;
    }
    text << " - " << network.links()[wires[wire].link].capacity_bytes_per_s / 1e9 << " t <= 0\n";
  }
  for (std::uint32_t source = 0; source < hosts; ++source) {
    for (std::uint32_t vertex = 0; vertex < network.vertices(); ++vertex) {
      if (vertex == source) {
        continue;
      }
      for (std::size_t wire = 0; wire < wires.size(); ++wire) {
        if (wires[wire].to == vertex) {
          text << " + f" << source << "_" << wire;
        } else if (wires[wire].from == vertex) {
          text << " - f" << source << "_" << wire;
        }
      }
      const double bytes =
          vertex < hosts ? static_cast<double>(pieces[source * hosts + vertex]) : 0;
      text << " = " << bytes / 1000 << "\n";
    }
  }
  text << "End\n";
  return text.str();
}

// Returns the least time according to GLPK, in seconds.
double solved_s(const std::string& program) {
  const ScratchFolder folder;
  const std::string file = folder.path / "program.lp";
  const std::string solution = folder.path / "solution.txt";
  std::ofstream(file) << program;
  const std::string command = "glpsol --lp " + file + " -w " + solution + " > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  // The line "s bas ROWS COLUMNS PRIMAL DUAL OBJECTIVE"; f stands for feasible.
  std::ifstream lines(solution);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string basic;
    std::string primal;
    std::string dual;
    std::size_t rows = 0;
    std::size_t columns = 0;
    double objective = 0;
    if (words >> kind >> basic >> rows >> columns >> primal >> dual >> objective && kind == "s") {
      REQUIRE((primal == "f" && dual == "f"));
      return objective * 1e-6;
    }
  }
  FAIL("no solution in " << solution);
  return 0;
}

}  // namespace

TEST_CASE("the lengths of an all-to-all are as good as a linear program, on small networks") {
  if (std::system("command -v glpsol > /dev/null") != 0) {
    std::puts("TEST SKIPPED: there is no glpsol (package glpk-utils)");
    return;
  }
  const std::uint64_t seed = seed_of_networks();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  constexpr std::uint32_t kNetworks = 250;
  std::uint32_t tried = 0;
  std::uint32_t close = 0;
  double widest = 1;
  for (std::uint64_t i = 0; tried < kNetworks; ++i) {
    INFO("seed " << seed + i);
    std::mt19937_64 random(seed + i);
    const auto made = random_wires(random, i % 2 != 0);
    WiredNetwork& network = *made;
    const std::uint32_t hosts = network.hosts();
    if (network.vertices() > 8) {
      continue;
    }
    ++tried;
    Problem problem;
    problem.collective = Collective::alltoallv;
    problem.ranks = hosts;
    problem.element_bytes = 8;
    for (std::size_t piece = 0; piece < std::size_t{hosts} * hosts; ++piece) {
      problem.block_bytes.push_back(random() % 4 * 8000);
      problem.bytes += problem.block_bytes.back();
    }
    problem.block_bytes[1] += 8000;
    problem.bytes += 8000;
    std::vector<std::uint32_t> host_of_rank(hosts);
    std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
    const HostsInUse in_use(network, host_of_rank, false);
    const FlowGraph graph(network, in_use);
    const TwinHosts twins(graph, false);
    const PieceRows pieces = Needs(problem).by_rows(host_of_rank, host_of_rank);
    const LengthSearch found =
        search_lengths(graph, twins, pieces, 1, 0, std::numeric_limits<double>::infinity());
    const double exact_s = solved_s(program_of(network, problem.block_bytes));
    const double found_s = found.best.seconds();
    REQUIRE(found_s <= exact_s * (1 + 1e-9));
    REQUIRE(found.feasible_s >= exact_s * (1 - 1e-9));
    close += exact_s <= found_s * 1.01 ? 1 : 0;
    widest = std::max(widest, exact_s / found_s);
  }
  std::printf("%u of %u within 1 %%; the widest gap is %.2f %%\n", close, tried,
              100 * (widest - 1));
  REQUIRE(close >= kNetworks * 19 / 20);
  REQUIRE(widest < 1.05);
}

}  // namespace tutti::test_linear_program
