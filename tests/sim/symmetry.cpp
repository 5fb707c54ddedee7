// Tests the simulation of one rank on behalf of all ranks. It covers every algorithm whose ranks
// are declared to be equivalent, on few and many ranks. The operations of the simulated rank and
// their dependencies must equal those of every other rank, and their times must equal those of each
// rank in a run of all ranks.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/rank_part.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/critical_chain.hpp"
#include "tests/schedules/hand_made.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_symmetry {

namespace {

constexpr Crossbar kCrossbar{
    .latency_s = 1.7e-6, .bandwidth_bytes_per_s = 1.07e9, .speed_flops_per_s = 0.41e9};

// The operations of each rank (its sends and local operations) in the order of ids, and the index
// of each operation in the list of its rank.
struct Parts {
  std::vector<std::vector<OpId>> of_rank;
  std::vector<OpId> position;
};

Parts parts_by_rank(const Schedule& whole) {
  Parts parts;
  parts.of_rank.resize(whole.ranks());
  parts.position.reserve(whole.size());
  for (OpId id = 0; id < whole.size(); ++id) {
    std::vector<OpId>& own = parts.of_rank[whole.op(id).src()];
    parts.position.push_back(static_cast<OpId>(own.size()));
    own.push_back(id);
  }
  return parts;
}

// The operations on which an operation depends: pairs of a class of ranks and the index of the
// operation in the list of its rank.
using Predecessors = std::vector<std::pair<std::uint32_t, OpId>>;

Predecessors predecessors(const Schedule& schedule, const Parts& parts, OpId id,
                          const RankClasses& classes) {
  Predecessors after;
  for (const OpId dependency : schedule.predecessors(id)) {
    after.emplace_back(classes.class_of(schedule.op(dependency).src()), parts.position[dependency]);
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return after;
}

// Compares the emitted part of the class of `rank` with the part of `rank` in `whole`. Returns a
// description of the difference; "" if there is none.
std::string difference(const RankPart& emitted, const Parts& emitted_parts, const Schedule& whole,
                       const Parts& parts, Rank rank) {
  const Schedule& part = emitted.schedule;
  const RankClasses& classes = emitted.classes;
  const std::vector<OpId>& expected_ops = emitted_parts.of_rank[classes.class_of(rank)];
  const std::vector<OpId>& own = parts.of_rank[rank];
  if (own.size() != expected_ops.size()) {
    return fmt::format("the rank has {} operations, but the part has {}", own.size(),
                       expected_ops.size());
  }
  for (OpId at = 0; at < own.size(); ++at) {
    const OpId id = expected_ops[at];
    const Op& expected = part.op(id);
    const Op& op = whole.op(own[at]);
    if (op.kind() != expected.kind() || op.bytes() != expected.bytes() ||
        op.label() != expected.label() ||
        shift(classes.symmetry(), rank, op.dst(), whole.ranks()) !=
            shift(classes.symmetry(), classes.first_of(rank), emitted.targets[id], whole.ranks())) {
      return fmt::format("operation {} differs", id);
    }
    if (predecessors(whole, parts, own[at], classes) !=
        predecessors(part, emitted_parts, id, classes)) {
      return fmt::format("operation {} has different predecessors", id);
    }
  }
  return {};
}

// Returns for each operation of `rank` what it depends on: pairs of an operation (its index in the
// list of its rank) and the rank of that operation, shifted such that `rank` becomes 0.
std::vector<std::vector<std::pair<OpId, Rank>>> moved_dependencies(const Schedule& whole,
                                                                   const Parts& parts, Rank rank,
                                                                   Symmetry symmetry) {
  std::vector<std::vector<std::pair<OpId, Rank>>> all;
  for (const OpId id : parts.of_rank[rank]) {
    std::vector<std::pair<OpId, Rank>> after;
    for (const OpId dependency : whole.predecessors(id)) {
      after.emplace_back(parts.position[dependency],
                         shift(symmetry, rank, whole.op(dependency).src(), whole.ranks()));
    }
    std::sort(after.begin(), after.end());
    all.push_back(std::move(after));
  }
  return all;
}

Timeline run_flow(const Schedule& schedule, const RunSetup& setup) {
  Crossbar crossbar = kCrossbar;
  crossbar.hosts = schedule.ranks();
  CrossbarNetwork network(crossbar);
  FlowSetup flow_setup;
  flow_setup.copy_s_per_byte = 0.7e-10;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    flow_setup.host_of_rank.push_back(rank);
  }
  return FlowEngine(network, flow_setup).run(schedule, setup);
}

Prices prices() {
  return {.alpha_s = kCrossbar.latency_s,
          .beta_s_per_byte = 1 / kCrossbar.bandwidth_bytes_per_s,
          .gamma_s_per_byte = 0.125 / kCrossbar.speed_flops_per_s,
          .copy_s_per_byte = 0.7e-10};
}

std::string time_difference(const Timeline& part, const Parts& emitted_parts, const Timeline& whole,
                            const Parts& parts, const RankClasses& classes) {
  const double allowed_s = 1e-13 * whole.total_s;
  const auto same = [allowed_s](double x, double y) { return std::abs(x - y) <= allowed_s; };
  if (!same(part.total_s, whole.total_s)) {
    return fmt::format("the total times differ: {:.17g} s and {:.17g} s", part.total_s,
                       whole.total_s);
  }
  for (Rank rank = 0; rank < parts.of_rank.size(); ++rank) {
    const std::vector<OpId>& own = parts.of_rank[rank];
    for (OpId at = 0; at < own.size(); ++at) {
      const OpId id = emitted_parts.of_rank[classes.class_of(rank)][at];
      if (!same(part.start_s[id], whole.start_s[own[at]]) ||
          !same(part.end_s[id], whole.end_s[own[at]])) {
        return fmt::format(
            "operation {}: {:.17g} to {:.17g} s, but in the whole run {:.17g} to {:.17g} s", id,
            part.start_s[id], part.end_s[id], whole.start_s[own[at]], whole.end_s[own[at]]);
      }
    }
  }
  return {};
}

bool same_chain(const CriticalChain& a, const CriticalChain& b, double total_s) {
  const auto same = [total_s](double x, double y) { return std::abs(x - y) <= 1e-12 * total_s; };
  bool all = a.steps.size() == b.steps.size();
  a.spent.each([&](Spending on, double seconds) { all = all && same(seconds, b.spent[on]); });
  return all;
}

struct Count {
  std::size_t structures = 0;
  std::size_t runs = 0;
  // Runs in which an operation waits for a port although ranks send one message at a time.
  std::size_t waited = 0;
};

// True if each rank sends only one message at a time. With a radix above 2, or in NCCL's
// all-to-all, a rank sends several messages at once, and these wait for its port.
bool one_message_at_a_time(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.full_name() == "alltoall/nccl") {
    return false;
  }
  return !takes(algorithm, Option::radix) || problem.radix == 2 ||
         (problem.radix == 0 && algorithm.name.find("knomial") == std::string_view::npos);
}

void check_problem(const Algorithm& algorithm, const Problem& problem, const RankSymmetry& symmetry,
                   Count& count) {
  INFO(algorithm.full_name() << " p=" << problem.ranks << " n=" << problem.bytes << ' '
                             << options_text(algorithm, problem));
  const Schedule whole = make_schedule(algorithm, problem, Detail::times_only);
  const Parts parts = parts_by_rank(whole);
  const RankClasses classes = RankClasses::largest(symmetry, problem.ranks);
  REQUIRE(classes.count() == symmetry.distance);
  const RankPart emitted = emit_part(algorithm, problem, {classes});
  const Parts emitted_parts = parts_by_rank(emitted.schedule);
  std::vector<std::vector<std::vector<std::pair<OpId, Rank>>>> dependencies;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    REQUIRE(difference(emitted, emitted_parts, whole, parts, rank) == "");
    auto own = moved_dependencies(whole, parts, rank, *symmetry.symmetry);
    if (rank < classes.count()) {
      dependencies.push_back(std::move(own));
    } else {
      REQUIRE(own == dependencies[classes.class_of(rank)]);
    }
  }
  const auto part = make_rank_part(algorithm, problem, symmetry);
  REQUIRE(part);
  CHECK(part->whole_dependencies == whole.dependencies());
  CHECK(part->stands_for() * part->schedule.size() == whole.size());
  CHECK(part->stands_for() * part->schedule.messages() == whole.messages());
  CHECK(part->stands_for() * part->schedule.bytes_sent() == whole.bytes_sent());
  CHECK(part->stands_for() * part->schedule.bytes_reduced() == whole.bytes_reduced());
  CHECK(part->schedule.rounds() == whole.rounds());
  ++count.structures;
  for (const std::uint32_t ports : {1U, 2U, kUnlimitedPorts}) {
    const RunSetup setup{ports};
    INFO("ports " << setup.ports);
    const Timeline of_part = run_flow(part->schedule, setup);
    const Timeline longest = CriticalPathEngine(prices()).run(part->schedule, setup);
    const Timeline of_whole = run_flow(whole, setup);
    CHECK(of_part.waited == of_whole.waited);
    if (of_part.waited || longest.waited) {
      count.waited += one_message_at_a_time(algorithm, problem) ? 1 : 0;
      continue;
    }
    ++count.runs;
    CHECK(time_difference(of_part, emitted_parts, of_whole, parts, classes) == "");
    CHECK(time_difference(longest, emitted_parts, CriticalPathEngine(prices()).run(whole, setup),
                          parts, classes) == "");
    CHECK(same_chain(critical_chain(part->schedule, of_part, own_times_by(prices())),
                     critical_chain(whole, of_whole, own_times_by(prices())), of_whole.total_s));
  }
}

void check_all(const std::vector<std::uint32_t>& rank_counts, Count& count) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->symmetry == nullptr) {
      continue;
    }
    const std::size_t before = count.runs;
    const std::size_t waited_before = count.waited;
    for (const std::uint32_t ranks : rank_counts) {
      for (const std::uint64_t elements :
           {std::uint64_t{0}, std::uint64_t{7} * ranks, std::uint64_t{101}}) {
        for (const Problem& problem :
             option_variants(*algorithm, problem_of(algorithm->collective, ranks, elements))) {
          const RankSymmetry symmetry = symmetry_of(*algorithm, problem);
          if (symmetry.symmetry && !refuses(*algorithm, problem)) {
            check_problem(*algorithm, problem, symmetry, count);
          }
        }
      }
    }
    INFO(algorithm->full_name());
    CHECK(count.runs > before);
    // In rings with several channels, reductions wait for the rank's core.
    CHECK((count.waited == waited_before || algorithm->name == "nccl_ring"));
  }
}

}  // namespace

TEST_CASE("one rank represents all: equal operations, and equal times") {
  Count count;
  check_all({2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 32, 33}, count);
  CHECK(count.structures > 500);
  CHECK(count.runs > 1500);
}

TEST_CASE("one rank represents all, at every number of ranks up to 65", "[slow]") {
  std::vector<std::uint32_t> rank_counts;
  for (std::uint32_t ranks = 2; ranks <= 65; ++ranks) {
    rank_counts.push_back(ranks);
  }
  rank_counts.push_back(100);
  rank_counts.push_back(128);
  Count count;
  check_all(rank_counts, count);
}

TEST_CASE("one rank of each node, or of every second node, represents the others in NCCL's rings") {
  Count count;
  std::set<std::uint32_t> distances;
  for (const char* name :
       {"allreduce/nccl_ring", "allgather/nccl_ring", "reduce_scatter/nccl_ring"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (const std::uint32_t nodes : {1, 2, 3, 4, 6}) {
      for (const std::uint32_t gpus : {1, 2, 4}) {
        for (const RingOrder order : {RingOrder::own, RingOrder::paired, RingOrder::crossed}) {
          for (const schedules::Protocol protocol :
               {schedules::Protocol::simple, schedules::Protocol::ll}) {
            const std::uint32_t ranks = nodes * gpus;
            // Two loops in each channel; the chunks of the second are shorter.
            Problem problem = problem_of(algorithm.collective, ranks, 60 * ranks * gpus);
            problem.ranks_per_node = gpus;
            problem.ring_order = order;
            problem.protocol = protocol;
            problem.segment_bytes = 40 * 8;
            const RankSymmetry symmetry = symmetry_of(algorithm, problem);
            const bool crossed = order == RingOrder::crossed && gpus > 1 && nodes > 1;
            REQUIRE(symmetry.symmetry.has_value() == (!crossed || (nodes > 2 && nodes % 2 == 0)));
            if (symmetry.symmetry && ranks > 1) {
              CHECK(symmetry.distance == (nodes == 1 ? 1 : crossed ? 2 * gpus : gpus));
              distances.insert(symmetry.distance);
              check_problem(algorithm, problem, symmetry, count);
            }
          }
        }
      }
    }
  }
  CHECK(distances == std::set<std::uint32_t>{1, 2, 4, 8});
  CHECK(count.runs > 280);
}

TEST_CASE("the ranks of a group represent those of all groups in NCCL's all-to-all") {
  const Algorithm& algorithm = algorithm_named("alltoall/nccl");
  Count count;
  for (const std::uint32_t ranks : {6, 16, 24, 26, 48}) {
    for (const std::uint32_t gpus : {4, 6, 8, 12, 64}) {
      for (const std::uint64_t elements : {48, 1001, 500'000}) {
        Problem problem = problem_of(algorithm.collective, ranks, elements);
        problem.ranks_per_node = gpus;
        problem.channels = 4;  // so few that messages wait for each other
        const RankSymmetry symmetry = symmetry_of(algorithm, problem);
        REQUIRE(symmetry.symmetry);
        const std::uint32_t group = std::gcd(8U, std::gcd(gpus, ranks % gpus));
        CHECK(symmetry.distance == (ranks <= gpus ? 1 : group));
        check_problem(algorithm, problem, symmetry, count);
      }
    }
  }
  CHECK(count.structures == 75);
  CHECK(count.runs >= 75);
}

TEST_CASE("a symmetry that does not hold is detected") {
  // Claims a symmetry that does not hold, and checks that it is refused.
  const auto found_out = [](const char* algorithm, std::uint32_t ranks, std::uint64_t elements,
                            const RankSymmetry& symmetry) {
    const Algorithm& named = algorithm_named(algorithm);
    const Problem problem = problem_of(named.collective, ranks, elements);
    CHECK_FALSE(symmetry_of(named, problem).symmetry);
    INFO(algorithm);
    CHECK_FALSE(make_rank_part(named, problem, symmetry));
  };
  found_out("allreduce/ring", 6, 1003, {Symmetry::rotation, {}});
  found_out("allgather/circulant", 7, 1003, {Symmetry::rotation, {}});
  found_out("reduce_scatter/pairwise", 9, 1003, {Symmetry::rotation, {}});
  // A ring is not symmetric under exchanges: rank 0 sends to rank 1, but rank 1 does not send to 1
  // xor 1 = 0.
  CHECK_FALSE(make_rank_part(algorithm_named("allreduce/ring"),
                             problem_of(Collective::allreduce, 8, 80), {Symmetry::exchange, {}}));
  // Rings of 4 nodes of 2 ranks pass the ranks of each node in the same order, but those of ranks 0
  // and 1 are different.
  Problem nodes = problem_of(Collective::allreduce, 8, 256);
  nodes.ranks_per_node = 2;
  const Algorithm& rings = algorithm_named("allreduce/nccl_ring");
  CHECK(make_rank_part(rings, nodes, {Symmetry::rotation, {}, 2}));
  CHECK_FALSE(make_rank_part(rings, nodes, {Symmetry::rotation, {}}));
  nodes.ring_order = RingOrder::crossed;
  CHECK(make_rank_part(rings, nodes, {Symmetry::rotation, {}, 4}));
  CHECK_FALSE(make_rank_part(rings, nodes, {Symmetry::rotation, {}, 2}));
  const Algorithm& alltoall = algorithm_named("alltoall/nccl");
  nodes = problem_of(Collective::alltoall, 16, 1000);
  nodes.ranks_per_node = 4;
  CHECK(make_rank_part(alltoall, nodes, {Symmetry::rotation, {}, 4}));
  CHECK_FALSE(make_rank_part(alltoall, nodes, {Symmetry::rotation, {}, 2}));
}

TEST_CASE("an emitter that leaves its part is stopped") {
  const Problem problem = problem_of(Collective::gather, 4, 4);
  CHECK_THROWS_WITH(emit_part(algorithm_named("gather/linear"), problem,
                              {RankClasses::of_all(Symmetry::rotation, 4)}),
                    Catch::Contains("part_->moved, ranks()) == src"));
}

}  // namespace tutti::test_symmetry
