// Databases store results together with the version of the engine that computed them. A change of
// an engine that affects any digit of its results must increase the engine's version. This test
// records a hash of the results of each version. The results are those of schedules that are
// defined here, so that they do not depend on changes of algorithms.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "platforms/cluster_file.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_engine_versions {

namespace {

// Emits recursive doubling of whole vectors: pairwise exchanges, and reductions that wait for both
// messages of an exchange.
void emit_butterfly(const Problem& problem, ScheduleBuilder& builder) {
  std::vector<OpId> done(problem.ranks, kNoOp);
  std::uint32_t level = 0;
  for (Rank distance = 1; distance < problem.ranks; distance *= 2) {
    std::vector<OpId> sent(problem.ranks);
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      const Rank peer = rank ^ distance;
      const std::vector<OpId> after{done[rank], done[peer]};
      sent[peer] =
          builder.comm({level}, rank, peer, {{0, 1}, kWork, {Buffer::scratch, level % 2}}, after);
    }
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      const std::vector<OpId> after{sent[rank], sent[rank ^ distance]};
      done[rank] = builder.reduce({level}, rank, {{0, 1}, {Buffer::scratch, level % 2}, kWork},
                                  Operand::left, after);
    }
    ++level;
  }
}

// Emits an all-to-all exchange without dependencies: messages share links and wait for ports.
void emit_turn(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  for (const Rank rank : builder.emitted_ranks()) {
    for (Rank distance = 1; distance < p; ++distance) {
      builder.comm({distance}, rank, (rank + distance) % p, {{0, 1}, kInput, kScratch}, {});
    }
  }
}

constexpr Algorithm kButterfly{
    .collective = Collective::allreduce,
    .name = "butterfly_of_the_test",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = one_block,
    .emit = emit_butterfly,
};
constexpr Algorithm kTurn{
    .collective = Collective::allreduce,
    .name = "turn_of_the_test",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = one_block,
    .symmetry = rotation,
    .emit = emit_turn,
};

struct Setup {
  std::string name;
  std::string platform;  // "" for a crossbar
  std::string network_model = "hockney";
  std::uint32_t ports = 1;
  std::int64_t eager_bytes = -1;
  std::uint32_t ranks_per_host = 1;
  SymmetryUse symmetry = SymmetryUse::off;
};

const std::vector<Setup>& setups() {
  static const std::vector<Setup> all{
      {"crossbar", ""},
      {"crossbar, 2 ports", "", "hockney", 2},
      {"crossbar, unlimited ports", "", "hockney", kUnlimitedPorts},
      {"crossbar, lv08", "", "lv08"},
      {"crossbar, eager", "", "hockney", 1, 4096},
      {"crossbar, one for all", "", "hockney", kUnlimitedPorts, -1, 1, SymmetryUse::automatic},
      {"fat tree", "infiniband_hdr_128.xml", "hockney", kUnlimitedPorts},
      {"torus", "torus_64.xml", "hockney", 2},
      {"torus, some for all", "torus_64.xml", "hockney", kUnlimitedPorts, -1, 1,
       SymmetryUse::automatic},
      {"dragonfly", "slingshot_128.xml", "hockney", kUnlimitedPorts},
      {"shared hosts", "smp_16x8.xml", "hockney", 1, -1, 8},
  };
  return all;
}

Machine machine_of(const Setup& setup, const EngineType& engine, std::uint32_t ranks) {
  Machine machine;
  machine.engine = &engine;
  machine.spec.engine = engine.name;
  machine.spec.network_model = setup.network_model;
  machine.setup.ports = setup.ports;
  machine.setup.eager_bytes = setup.eager_bytes;
  machine.spec.symmetry = setup.symmetry;
  machine.mapping.ranks = ranks;
  machine.mapping.ranks_per_host = setup.ranks_per_host;
  machine.spec.source.crossbar.hosts = ranks;
  if (!setup.platform.empty()) {
    machine.spec.source.file = source_dir() + "/platforms/" + setup.platform;
    open_platform(machine.spec, machine.files);
  }
  return machine;
}

// Returns all figures of a result as text, except wall-clock times and memory. Floating-point
// figures are in hexadecimal, which is exact.
std::string figures_of(const RunResult& result) {
  std::string text;
  for_each_figure(result, [&text](std::string_view name, const auto& value) {
    if (!name.ends_with("_wall_s") && name != "peak_rss_bytes") {
      if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>) {
        text += fmt::format("{}={:a}\n", name, value);
      } else {
        text += fmt::format("{}={}\n", name, value);
      }
    }
  });
  return text;
}

// Returns a line for each run, with the simulated time in seconds and a hash of all figures, such
// as "torus, turn_of_the_test, 100000 bytes: 0x1.8p-10, 0123456789abcdef".
std::vector<std::string> lines_of(const EngineType& engine) {
  std::vector<std::string> lines;
  for (const Setup& setup : setups()) {
    for (const Algorithm* algorithm : {&kButterfly, &kTurn}) {
      for (const std::uint64_t bytes : {1000U, 100000U}) {
        const Problem problem = problem_of(Collective::allreduce, 16, bytes / 8);
        const Machine machine = machine_of(setup, engine, problem.ranks);
        const bool not_modelled = engine.lacks(machine).has_value();
        // Also skips tutti's own engines on a platform that SimGrid loads, because their results
        // then also depend on how SimGrid interprets the platform.
        if (not_modelled || (!engine.by_simgrid && runs_on_simgrid_platform(machine))) {
          continue;
        }
        const RunResult result = simulate(*algorithm, problem, machine, Detail::times_only).result;
        lines.push_back(fmt::format("{}, {}, {} bytes: {:a}, {}", setup.name, algorithm->name,
                                    bytes, result.simulated_s,
                                    hash_of(figures_of(result)).substr(0, 16)));
      }
    }
  }
  return lines;
}

struct RecordedRun {
  std::string_view engine;
  int version;
  std::string_view simgrid;  // SimGrid's version, for engines that use SimGrid
  std::string_view hash;     // hash of the lines that lines_of() returns
};

// Results of the present version of each engine.
constexpr std::array kRecorded{
    RecordedRun{"flow", 3, "", "0054edc841cc2cd4fabe5b2b096c84b8"},
    RecordedRun{"simgrid", 3, "3.32", "1942e53c097fd2c8fc9377ba2314de6b"},
    RecordedRun{"critical-path", 3, "", "0750da35d0c76939559153f9ac7d5093"},
};

}  // namespace

TEST_CASE("results of an engine change only with its version") {
  for (const EngineType* engine : engine_types()) {
    if (engine->by_simgrid && !TUTTI_WITH_SIMGRID) {
      continue;
    }
    const std::string_view simgrid = engine->by_simgrid ? simgrid_version() : "";
    const auto recorded =
        std::find_if(kRecorded.begin(), kRecorded.end(), [&](const RecordedRun& each) {
          return each.engine == engine->name && each.version == engine->version;
        });
    const std::vector<std::string> lines = lines_of(*engine);
    const std::string hash = hash_of(fmt::format("{}", fmt::join(lines, "\n")));
    const std::string now = fmt::format("RecordedRun{{\"{}\", {}, \"{}\", \"{}\"}}", engine->name,
                                        engine->version, simgrid, hash);
    INFO(fmt::format("{}", fmt::join(lines, "\n")));
    if (recorded == kRecorded.end()) {
      FAIL_CHECK("version " << engine->version << " of engine " << engine->name
                            << " is not recorded: add " << now << " in " << __FILE__);
    } else if (recorded->simgrid != simgrid) {
      WARN("SimGrid " << simgrid << " differs from the recorded version " << recorded->simgrid);
    } else if (recorded->hash != hash) {
      FAIL_CHECK("results of engine "
                 << engine->name
                 << " changed: raise its version in src/simulation/engines/ and record again, "
                 << "so that its results in databases become outdated. The record would be " << now
                 << " with the next version. If only the machine or the compiler is different, "
                    "say so there");
    }
  }
}

TEST_CASE("no two records have the same version") {
  std::map<std::pair<std::string_view, int>, int> count;
  for (const RecordedRun& each : kRecorded) {
    CHECK(++count[{each.engine, each.version}] == 1);
  }
}

}  // namespace tutti::test_engine_versions
