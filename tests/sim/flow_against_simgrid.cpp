// Checks that the flow engine and SimGrid agree on the times of every operation: on all topologies,
// for every algorithm, and for random schedules with much contention.
#include <cstdio>
#include <optional>

#include "schedules/registry.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/flow_platforms.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/simgrid_cells.hpp"

namespace tutti::test_flow_against_simgrid {

namespace {

constexpr double kTolerance = 1e-8;
// With the network model lv08, SimGrid updates all messages at each event and has no tolerance on
// times, so that rounding separates events that should be simultaneous. The largest relative
// difference seen is 1.8e-6, for alltoallv/sendrecv_replace on 32 ranks.
constexpr double kLv08Tolerance = 3e-6;

// A configuration for SimGrid. It owns the platform file that it refers to.
class SimGridSetup {
 public:
  explicit SimGridSetup(const FlowPlatform& platform,
                        const std::string& network_model = "hockney") {
    config_ = crossbar_config(33);
    if (!platform.xml.empty()) {
      file_.emplace("flow_" + platform.name, platform.xml);
      config_.platform.file = file_->path();
    }
    config_.ranks_per_host = platform.ranks_per_host;
    config_.network_model = network_model;
    config_.updates = network_model == "hockney" ? Updates::pointed_out : Updates::full;
  }

  [[nodiscard]] SimGridConfig& config() { return config_; }

 private:
  SimGridConfig config_;
  std::optional<PlatformFile> file_;
};

// Returns an empty string if the engines agree, and otherwise a description of the difference.
// `may_tie` is true for algorithms that run rings in both directions at once. They have near-ties:
// a lead of picoseconds changes how messages share a link, and the difference grows from round to
// round. For them, SimGrid's total need only lie in the range of totals that the flow engine gets
// if starts are shifted by tiny amounts.
std::string compare(const Schedule& schedule, const LoadedPlatform& platform, RunSetup setup,
                    double tolerance, bool may_tie = false) {
  const SimGridResult simgrid = platform.simulate(schedule, setup);
  const SimGridResult flow = platform.simulate(schedule, setup, Simulator::flow);
  std::string wrong = difference(flow.timeline, simgrid.timeline, tolerance);
  if (wrong.empty() || !may_tie) {
    return wrong;
  }
  setup.ties.runs = 100;
  const TieRange ties = platform.simulate(schedule, setup, Simulator::flow).ties;
  const double total_s = simgrid.timeline.total_s;
  const double slack_s = tolerance * total_s;
  return ties.least_s - slack_s <= total_s && total_s <= ties.most_s + slack_s
             ? std::string()
             : fmt::format(
                   "{}; SimGrid takes {:.17g} s in total, but flow with other orders of ties takes "
                   "{:.17g} to {:.17g} s",
                   wrong, total_s, ties.least_s, ties.most_s);
}

double tolerance_of(const std::string& network_model) {
  return network_model == "hockney" ? kTolerance : kLv08Tolerance;
}

struct Cell {
  const Algorithm* algorithm;
  Problem problem;
  std::uint32_t ports;
};

// Checks every `stride`-th combination of algorithm, number of ranks and number of ports. `offset`
// determines which of the first `stride` combinations is checked first.
void check_algorithms(const FlowPlatform& platform, const std::string& network_model,
                      const std::vector<std::uint32_t>& rank_counts, std::size_t stride,
                      std::size_t offset) {
  std::vector<Cell> cells;
  std::size_t count = offset;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : rank_counts) {
      const std::uint64_t elements = algorithm->collective == Collective::barrier ? 0 : 25'013;
      const Problem problem = problem_of(algorithm->collective, ranks, elements,
                                         ranks / 3 * (has_root(algorithm->collective) ? 1U : 0U));
      if (refuses(*algorithm, problem)) {
        continue;
      }
      for (const std::uint32_t ports : {1U, 2U, kUnlimitedPorts}) {
        // The order in which messages get a port depends on which events count as simultaneous.
        // With lv08, SimGrid has no tolerance for this, so its order may differ.
        if (network_model != "hockney" && ports != kUnlimitedPorts) {
          continue;
        }
        if (count++ % stride == 0) {
          cells.push_back({algorithm, problem, ports});
        }
      }
    }
  }
  REQUIRE(!cells.empty());
  SimGridSetup configured(platform, network_model);
  INFO(platform.name << " " << network_model);
  check_cells(configured.config(), cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    const Cell& cell = cells[i];
    const Schedule schedule = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
    const std::string wrong = compare(schedule, loaded, {cell.ports}, tolerance_of(network_model),
                                      takes(*cell.algorithm, Option::channels));
    return wrong.empty() ? wrong
                         : fmt::format("{} p={} ports={} on {}: {}", cell.algorithm->full_name(),
                                       cell.problem.ranks, cell.ports, platform.name, wrong);
  });
}

std::vector<std::uint32_t> ranks_from_2_to_33() {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t ranks = 2; ranks <= 33; ++ranks) {
    counts.push_back(ranks);
  }
  return counts;
}

// Returns a random schedule; the seed also determines its size.
Schedule schedule_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto ranks = static_cast<std::uint32_t>(4 + random() % 11);
  const auto ops = static_cast<std::uint32_t>(10 + random() % 190);
  const auto max_bytes =
      static_cast<std::uint32_t>(random() % 2 == 0 ? 3 : HandMadeSchedule::kMaxBytes);
  return random_schedule(random, ranks, ops, max_bytes);
}

std::uint32_t ports_of(std::uint64_t seed) {
  return std::array{1U, 2U, kUnlimitedPorts, kUnlimitedPorts}[seed % 4];
}

void check_random(const FlowPlatform& platform, const std::string& network_model,
                  std::uint64_t first, std::size_t cells) {
  std::printf("TUTTI_TEST_SEED=%llu, %zu schedules on %s, %s\n",
              static_cast<unsigned long long>(first), cells, platform.name.c_str(),
              network_model.c_str());
  SimGridSetup configured(platform, network_model);
  SimGridConfig& config = configured.config();
  config.ranks_per_host = std::max(config.ranks_per_host, 1U);
  // With these prices, the bytes of a message take about as long as its latency, and copies take
  // time.
  config.overrides = {1e-6, 1e-7, 0.7e-7};
  config.copy_s_per_byte = 0.3e-7;
  check_cells(config, cells, [&](std::size_t i, const LoadedPlatform& loaded) {
    const std::string wrong =
        compare(schedule_of(first + i), loaded, {ports_of(first + i)}, tolerance_of(network_model));
    return wrong.empty() ? wrong
                         : fmt::format("seed {}, {} ports, on {}, {}: {}", first + i,
                                       ports_of(first + i), platform.name, network_model, wrong);
  });
}

}  // namespace

// Each case runs on one or two of the eight platforms. With a stride of 8, an
// algorithm would run on 8, 16 and 32 ranks on the same platform only.
constexpr std::size_t kThinned = 7;

TEST_CASE("flow equals SimGrid: every algorithm, a sample of ranks and ports") {
  std::size_t offset = 0;
  for (const FlowPlatform& platform : flow_platforms()) {
    check_algorithms(platform, "hockney", {2, 3, 6, 9, 16, 23, 33}, 13, offset++);
  }
}

TEST_CASE("flow equals SimGrid: every algorithm, 2 to 33 ranks, 1, 2 and unlimited ports",
          "[slow]") {
  std::size_t offset = 0;
  for (const FlowPlatform& platform : flow_platforms()) {
    check_algorithms(platform, "hockney", ranks_from_2_to_33(), kThinned, offset++);
  }
}

TEST_CASE("flow equals SimGrid: random schedules with contention") {
  for (const FlowPlatform& platform : flow_platforms()) {
    check_random(platform, "hockney", test_seed(), 40);
  }
}

TEST_CASE("flow equals SimGrid: 2,000 random schedules with contention", "[slow]") {
  for (const FlowPlatform& platform : flow_platforms()) {
    check_random(platform, "hockney", test_seed() + 1000, 250);
  }
}

TEST_CASE("flow equals SimGrid under lv08: a sample of all cases") {
  std::size_t offset = 0;
  for (const FlowPlatform& platform : flow_platforms()) {
    check_algorithms(platform, "lv08", {3, 8, 14}, 15, offset++);
    check_random(platform, "lv08", test_seed() + 5000, 10);
  }
}

TEST_CASE("flow equals SimGrid under lv08: every algorithm, 2 to 33 ranks", "[slow]") {
  std::size_t offset = 0;
  for (const FlowPlatform& platform : flow_platforms()) {
    check_algorithms(platform, "lv08", ranks_from_2_to_33(), kThinned, offset++);
    check_random(platform, "lv08", test_seed() + 7000, 50);
  }
}

TEST_CASE("routes kept from run to run do not change any digit") {
  for (const FlowPlatform& platform : flow_platforms()) {
    SimGridSetup configured(platform);
    // The numbers of ranks rise and fall, so that schedules run after larger and after smaller
    // schedules.
    const std::vector<std::uint32_t> rank_counts{5, 16, 5, 33, 16};
    std::vector<Schedule> schedules;
    for (const std::uint32_t ranks : rank_counts) {
      for (const char* algorithm : {"allreduce/circulant", "bcast/binomial", "alltoall/linear"}) {
        const Algorithm& named = algorithm_named(algorithm);
        schedules.push_back(
            make_schedule(named, problem_of(named.collective, ranks, 25'013), Detail::times_only));
      }
    }
    const auto bytes_of = [](const SimGridResult& result) {
      return std::string(reinterpret_cast<const char*>(result.timeline.end_s.data()),
                         result.timeline.end_s.size() * sizeof(double));
    };
    PlatformProcess process(
        configured.config(),
        [&](const std::string& request, const LoadedPlatform& loaded) {
          return bytes_of(
              loaded.simulate(schedules[std::stoul(request)], {kUnlimitedPorts}, Simulator::flow));
        },
        PlatformProcess::Cells::in_place);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      INFO(platform.name << ", run " << i);
      CHECK((process.run(std::to_string(i)) ==
             bytes_of(simulate_isolated(schedules[i], configured.config(), {kUnlimitedPorts},
                                        Simulator::flow))));
    }
  }
}

TEST_CASE("flow's own crossbar equals the one that SimGrid makes") {
  for (const std::uint32_t per_host : {1U, 3U}) {
    SimGridConfig config = crossbar_config((12 + per_host - 1) / per_host);
    config.ranks_per_host = per_host;
    for (std::uint64_t i = 0; i < 20; ++i) {
      std::mt19937_64 random(test_seed() + i);
      const Schedule schedule = random_schedule(random, 12, 200, HandMadeSchedule::kMaxBytes);
      const RunSetup setup{ports_of(i)};
      config.platform.crossbar.bandwidth_bytes_per_s = 1.07e7;
      config.updates = Updates::pointed_out;
      CrossbarNetwork network(config.platform.crossbar);
      FlowSetup flow_setup;
      for (Rank rank = 0; rank < 12; ++rank) {
        flow_setup.host_of_rank.push_back(rank / per_host);
      }
      INFO("seed " << test_seed() + i << ", " << per_host << " to a host");
      CHECK(difference(FlowEngine(network, flow_setup).run(schedule, setup),
                       simulate_isolated(schedule, config, setup).timeline, kTolerance) == "");
    }
  }
}

TEST_CASE("SimGrid's lazy updates miss a change, unless it is pointed out") {
  // Rank 4 sends two messages, which start to flow at the same instant. The second shares the
  // down-link of rank 0 with the message `older`. With lazy updates, that link then carries 1.5
  // times its capacity.
  HandMadeSchedule made(6);
  const OpId first = made.comm(0, 2, 15);
  const OpId older = made.comm(5, 0, 21, {first});
  const OpId before = made.comm(4, 2, 19);
  made.comm(4, 5, 29, {before});
  made.comm(4, 0, 1, {before});
  const Schedule schedule = made.finish();
  SimGridConfig config = crossbar_config(6);
  config.overrides = {1e-6, 1e-7, {}};
  const RunSetup unlimited{kUnlimitedPorts};
  const auto end_s = [&](Updates updates, Simulator simulator) {
    config.updates = updates;
    return simulate_isolated(schedule, config, unlimited, simulator).timeline.end_s[older];
  };
  CHECK(end_s(Updates::lazy, Simulator::flow) == Approx(7.2e-6).epsilon(1e-9));
  CHECK(end_s(Updates::full, Simulator::simgrid) == Approx(7.2e-6).epsilon(1e-9));
  CHECK(end_s(Updates::pointed_out, Simulator::simgrid) == Approx(7.2e-6).epsilon(1e-9));
  // If this fails with a newer SimGrid, Updates::pointed_out is no longer needed.
  CHECK(end_s(Updates::lazy, Simulator::simgrid) == Approx(7.1e-6).epsilon(1e-9));
}

TEST_CASE("links record what they carry, on request") {
  HandMadeSchedule made(3);
  made.comm(0, 2, 20);
  made.comm(1, 2, 30);
  const Schedule schedule = made.finish();
  CrossbarNetwork network({.hosts = 3, .latency_s = 1, .bandwidth_bytes_per_s = 10});
  const FlowSetup setup{.host_of_rank = {0, 1, 2}};
  FlowEngine engine(network, setup);
  engine.keep_statistics();
  CHECK(engine.run(schedule, {kUnlimitedPorts}).total_s == Approx(6));
  REQUIRE(engine.statistics().size() == 3);
  const LinkStatistics& down = engine.statistics()[2];
  CHECK(network.link_name(down.link) == "node-2 down");
  CHECK(down.bytes == 50);
  CHECK(down.busy_s == Approx(5));
  CHECK(down.most_at_once == 2);
  CHECK(engine.statistics()[0].busy_s == Approx(4));
}

}  // namespace tutti::test_flow_against_simgrid
