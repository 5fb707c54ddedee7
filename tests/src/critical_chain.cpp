#include "simulation/critical_chain.hpp"

#include <catch2/catch.hpp>

#include <array>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/served_ranks.hpp"

using namespace tutti;

namespace {

constexpr Prices kPrices{.alpha_s = 1, .beta_s_per_byte = 0.5, .gamma_s_per_byte = 0.25};

Problem problem(std::uint32_t ranks, std::uint64_t elements) {
  Problem result;
  result.ranks = ranks;
  result.bytes = elements * result.element_bytes;
  return result;
}

double sum(const CriticalChain& chain) {
  return chain.startup_s + chain.transfer_s + chain.reduce_s + chain.copy_s + chain.network_s +
         chain.waiting_s;
}

}  // namespace

TEST_CASE("The chain of a message and a reduction") {
  ScheduleBuilder builder(problem(2, 1), 1);
  const OpId message = builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kScratch}, {});
  const OpId reduction =
      builder.reduce({0, 0}, 1, {{0, 1}, kScratch, kWork}, Operand::left, std::array{message});
  const Schedule schedule = builder.finish();
  const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {});
  const CriticalChain chain = critical_chain(schedule, timeline, own_times_by(kPrices));
  CHECK(chain.ops == std::vector<OpId>{message, reduction});
  CHECK(chain.startup_s == 1);
  CHECK(chain.transfer_s == 4);
  CHECK(chain.reduce_s == 2);
  CHECK(chain.network_s == 0);
  CHECK(chain.waiting_s == 0);
}

TEST_CASE("One that waited for a port follows the one that held it") {
  ScheduleBuilder builder(problem(3, 2), 2);
  const OpId first = builder.comm({0, 0}, 0, 1, {{0, 2}, kWork, kWork}, {});
  const OpId second = builder.comm({0, 0}, 0, 2, {{0, 1}, kWork, kWork}, {});
  const Schedule schedule = builder.finish();
  const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {});
  const CriticalChain chain = critical_chain(schedule, timeline, own_times_by(kPrices));
  CHECK(chain.ops == std::vector<OpId>{first, second});
  CHECK(chain.startup_s == 2);
  CHECK(chain.transfer_s == 12);
}

TEST_CASE("Time beyond alpha and beta is the network's, and a gap is waiting") {
  ScheduleBuilder builder(problem(2, 1), 1);
  builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kScratch}, {});
  const Schedule schedule = builder.finish();
  Timeline slow;
  slow.start_s = {3};
  slow.end_s = {3 + 1 + 4 + 7};
  slow.total_s = 15;
  const CriticalChain chain = critical_chain(schedule, slow, own_times_by(kPrices));
  CHECK(chain.network_s == Approx(7));
  CHECK(chain.waiting_s == Approx(3));
  CHECK(sum(chain) == Approx(15));
}

TEST_CASE("The parts of every algorithm's chain add up to its time") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : {1U, 2U, 5U, 8U, 12U}) {
      Problem asked = problem(ranks, std::uint64_t{ranks} * 10 + 3);
      asked.collective = algorithm->collective;
      if (algorithm->refusal != nullptr && algorithm->refusal(asked)) {
        continue;
      }
      const Schedule schedule = make_schedule(*algorithm, asked);
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {ports});
        const CriticalChain chain =
            critical_chain(schedule, timeline, own_times_by(kPrices, ranks));
        CHECK(sum(chain) == Approx(timeline.total_s));
        CHECK(chain.network_s == 0);
        CHECK(chain.waiting_s == 0);
      }
    }
  }
}

TEST_CASE("An empty schedule has an empty chain") {
  ScheduleBuilder builder(problem(1, 1), 1);
  const Schedule schedule = builder.finish();
  CHECK(critical_chain(schedule, Timeline{}, own_times_by(kPrices)).ops.empty());
}

// Near and far routes, shared links, several ranks on a host: no part is what is left over.
TEST_CASE("The parts of a chain on a network are none below 0, and add up") {
  const std::string file = GENERATE("torus_64.xml", "infiniband_hdr_128_thin.xml", "smp_16x8.xml");
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {4U, served_ranks(*algorithm, 13)}) {
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        Problem asked = problem(ranks, std::uint64_t{ranks} * 100 + 3);
        asked.collective = algorithm->collective;
        asked.bytes = asked.collective == Collective::barrier ? 0 : asked.bytes;
        Machine machine;
        machine.source.file = std::string(TUTTI_SOURCE_DIR) + "/platforms/" + file;
        machine.cluster = read_cluster_file(machine.source.file);
        machine.setup.ports = ports;
        // The torus has no way from a host to itself.
        place_ranks(machine, ranks, ports == 1 || file == "torus_64.xml" ? 1 : 2);
        choose_engine(machine);
        const Simulation done = simulate(*algorithm, asked, machine, Detail::payload);
        const CriticalChain& chain = done.result.chain;
        CAPTURE(file, algorithm->full_name(), ranks, ports);
        for (const double part : {chain.startup_s, chain.transfer_s, chain.reduce_s, chain.copy_s,
                                  chain.network_s, chain.waiting_s}) {
          CHECK(part >= 0);
        }
        CHECK(sum(chain) == Approx(done.result.simulated_s).epsilon(1e-9));
      }
    }
  }
}
