// Every algorithm through each format that can carry it, and back.
#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/interchange/chakra.hpp"
#include "src/interchange/goal.hpp"
#include "src/interchange/msccl.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/torus_network.hpp"
#include "tests/src/interchange/same_dag.hpp"

using namespace tutti;

namespace {

// 1 ns for each byte reduced, so that the times of calculations are exact.
constexpr Prices kPrices{.alpha_s = 1e-6, .beta_s_per_byte = 1e-9, .gamma_s_per_byte = 1e-9};

std::string goal_text(const RankNodes& nodes) {
  std::ostringstream out;
  write_goal(nodes, out);
  return std::move(out).str();
}

RankNodes through_goal(const RankNodes& nodes) { return parse_goal(goal_text(nodes), "t").nodes; }

RankNodes through_chakra(const RankNodes& nodes) {
  std::vector<std::string> texts;
  for (Rank rank = 0; rank < nodes.ranks; ++rank) {
    std::ostringstream out;
    write_chakra(nodes, rank, out);
    texts.push_back(std::move(out).str());
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return parse_chakra(views, texts).nodes;
}

void check_equal(const RankNodes& a, const RankNodes& b) {
  CHECK(a.ranks == b.ranks);
  CHECK(a.nodes == b.nodes);
  CHECK(a.rows == b.rows);
  CHECK(a.dependencies == b.dependencies);
}

std::vector<std::uint32_t> up_to(std::uint32_t last_ranks) {
  std::vector<std::uint32_t> all(last_ranks - 1);
  std::iota(all.begin(), all.end(), 2U);
  return all;
}

template <typename Visit>
void for_each_schedule(const std::vector<std::uint32_t>& all_ranks, Visit&& visit) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : all_ranks) {
      const Problem problem = problem_of(*algorithm, ranks, std::uint64_t{ranks} * 60);
      if (!refuses(*algorithm, problem)) {
        CAPTURE(algorithm->full_name(), ranks);
        visit(*algorithm, make_schedule(*algorithm, problem));
      }
    }
  }
}

// Number of bytes that each rank sends to each other rank.
std::map<std::pair<Rank, Rank>, std::uint64_t> bytes_of_pairs(const Schedule& schedule) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> bytes;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm() && op.bytes() > 0) {
      bytes[{op.src(), op.dst()}] += op.bytes();
    }
  }
  return bytes;
}

// Number of levels of messages.
std::size_t rounds_of(const Schedule& schedule) {
  std::set<std::uint32_t> levels;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      levels.insert(op.label().level);
    }
  }
  return levels.size();
}

// Writes and reads every algorithm for each number of ranks. Returns the number of schedules.
std::size_t through_msccl(const std::vector<std::uint32_t>& ranks) {
  std::size_t seen = 0;
  std::set<std::string> refused;
  for_each_schedule(ranks, [&](const Algorithm& algorithm, const Schedule& schedule) {
    std::ostringstream out;
    try {
      write_msccl(schedule, algorithm.full_name(), out);
    } catch (const UserError& error) {
      refused.insert(std::string(name(algorithm.collective)));
      const bool expected =
          algorithm.in_network() || !schedule.layout().uniform() ||
          std::string_view(error.what()).find("MSCCL has no") != std::string::npos;
      CHECK(expected);
      return;
    }
    const Problem& problem = schedule.problem();
    const MscclAlgorithm back = read_msccl(
        out.str(), "t", {.bytes = problem.bytes, .element_bytes = problem.element_bytes});
    CHECK(back.notes.empty());
    REQUIRE(back.out_of_place.has_value());
    VerifyOptions options;
    options.work_starts_undefined = true;
    const Verdict verdict = verify(*back.out_of_place, options);
    CHECK(verdict.proved());
    CHECK(bytes_of_pairs(*back.out_of_place) == bytes_of_pairs(schedule));
    CHECK(rounds_of(*back.out_of_place) <= rounds_of(schedule));
    if (back.in_place) {
      CHECK(verify(*back.in_place).proved());
      CHECK(bytes_of_pairs(*back.in_place) == bytes_of_pairs(schedule));
    }
    CHECK(verdict.bytes_reduced == schedule.bytes_reduced());
    ++seen;
  });
  // Some or all algorithms of these collectives cannot be carried.
  CHECK(refused.contains("barrier"));
  CHECK(refused.contains("scan"));
  return seen;
}

// A random torus with few ports, on which reductions take the time of kPrices.
class RandomMachine {
 public:
  RandomMachine(std::mt19937_64& random, std::uint32_t ranks) : network_(shape(random, ranks)) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      flow_setup_.host_of_rank.push_back(rank);
    }
    std::shuffle(flow_setup_.host_of_rank.begin(), flow_setup_.host_of_rank.end(), random);
    flow_setup_.flops_per_byte = network_.host(0).speed_flops_per_s * kPrices.gamma_s_per_byte;
    setup_.ports = static_cast<std::uint32_t>(1 + random() % 3);
    setup_.eager_bytes = random() % 3 == 0 ? 500 : -1;
  }

  double total_s(const Schedule& schedule) {
    return FlowEngine(network_, flow_setup_).run(schedule, setup_).total_s;
  }

 private:
  static TorusNetwork::Shape shape(std::mt19937_64& random, std::uint32_t ranks) {
    const auto width = static_cast<std::uint32_t>(1 + random() % 5);
    return {.dims = {width, (ranks + width - 1) / width}};
  }

  TorusNetwork network_;
  FlowSetup flow_setup_;
  RunSetup setup_;
};

// A random problem for one of all algorithms, in many pieces if the algorithm cuts the vector.
Schedule random_collective(std::mt19937_64& random) {
  const std::vector<const Algorithm*> all = host_algorithms();
  while (true) {
    const Algorithm& algorithm = *all[random() % all.size()];
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 16);
    Problem problem =
        problem_of(algorithm.collective, ranks, ranks * (1 + random() % 400),
                   has_root(algorithm.collective) ? static_cast<Rank>(random() % ranks) : 0);
    std::vector<Problem> variants = option_variants(algorithm, problem, {7, 60, 400});
    problem = std::move(variants[random() % variants.size()]);
    if (!refuses(algorithm, problem)) {
      CAPTURE(algorithm.full_name(), ranks);
      return make_schedule(algorithm, problem);
    }
  }
}

}  // namespace

TEST_CASE("schedules that come back through GOAL and Chakra take the same time") {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 400; ++i) {
    CAPTURE(test_seed(), i);
    const Schedule schedule =
        i % 4 == 0 ? random_schedule(random, static_cast<std::uint32_t>(2 + random() % 10), 200,
                                     HandMadeSchedule::kMaxBytes)
                   : random_collective(random);
    CAPTURE(name(schedule.problem().collective), schedule.ranks(), schedule.size());
    RandomMachine machine(random, schedule.ranks());
    const double total_s = machine.total_s(schedule);
    const RankNodes nodes = nodes_of(schedule, kPrices);
    for (const RankNodes& back : {through_goal(nodes), through_chakra(nodes)}) {
      const auto place = [](NodeId) { return std::string("a node"); };
      const Application application = application_of(back, "t", place);
      CHECK(application.buffered == 0);
      CHECK(machine.total_s(application.schedule) == Approx(total_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("every algorithm goes through GOAL and Chakra and comes back as the same graph") {
  std::size_t seen = 0;
  for_each_schedule(up_to(17), [&](const Algorithm& algorithm, const Schedule& schedule) {
    if (algorithm.in_network()) {
      return;
    }
    const RankNodes nodes = nodes_of(schedule, kPrices);
    check_equal(through_goal(nodes), nodes);
    check_equal(through_chakra(nodes), nodes);
    const Application back =
        application_of(nodes, "t", [](NodeId) { return std::string("a node"); });
    CHECK(back.buffered == 0);
    const auto cost = [](const Op& op) {
      return op.kind() == OpKind::copy ? std::uint64_t{0} : op.bytes();
    };
    CHECK(interchange_tests::signature(back.schedule, cost) ==
          interchange_tests::signature(schedule, cost));
    ++seen;
  });
  CHECK(seen > 2000);
}

TEST_CASE("every algorithm that MSCCL can carry comes back proved") {
  CHECK(through_msccl(up_to(17)) > 1200);
}
