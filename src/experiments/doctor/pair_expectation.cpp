// Expectation of messages between pairs of ranks: their simulated time on the user's platform,
// or the rate of the cards that the user names.
#include <fmt/format.h>

#include <algorithm>

#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/doctor/expectation.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the messages of a benchmark as a problem: the bytes from each rank to each other one.
Problem problem_of_pairs(const PairRun& run, std::uint64_t bytes) {
  Problem problem;
  problem.collective = Collective::alltoallv;
  problem.ranks = run.ranks;
  problem.bytes = bytes;
  problem.element_bytes = 1;
  const std::size_t p = run.ranks;
  problem.block_bytes.assign(p * p, 0);
  const auto send = [&](std::size_t from, std::size_t to) {
    problem.block_bytes[from * p + to] += bytes;
  };
  const bool both = run.test == PairTest::both_ways;
  if (run.in_ring) {
    for (std::size_t rank = 0; rank < p; ++rank) {
      send(rank, (rank + 1) % p);
      if (run.sends > 1) {
        send(rank, (rank + p - 1) % p);
      }
    }
    return problem;
  }
  for (std::size_t rank = 0; rank < run.pairs(); ++rank) {
    send(rank, rank + run.pairs());
    if (both) {
      send(rank + run.pairs(), rank);
    }
  }
  return problem;
}

std::optional<double> time_of_messages(const Problem& problem, const Machine& machine) {
  const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
    return Outcome(simulate(*find_algorithm(problem.collective, "linear"), problem, machine,
                            Detail::times_only)
                       .result);
  });
  const RunResult* const result = outcome.result();
  return result == nullptr ? std::nullopt : std::optional(result->simulated_s);
}

void expect_simulated(const MeasuredCurve& curve, const OpenedMachine& platform,
                      Expectation& expected) {
  const PairRun& run = *curve.pair;
  const std::uint32_t per_host = run.in_ring ? (run.ranks + curve.nodes.value_or(run.ranks) - 1) /
                                                   curve.nodes.value_or(run.ranks)
                                             : run.pairs();
  const Machine machine = platform.machine(run.ranks, per_host, curve.element_bytes);
  Limits limits(machine);
  std::optional<double> startup_s;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const Problem problem = problem_of_pairs(run, curve.rows[i].bytes);
    const auto time_s = time_of_messages(problem, machine);
    if (!time_s) {
      expected.why_not = "the messages cannot be simulated on this platform";
      return;
    }
    startup_s = startup_s.value_or(*time_s);
    ExpectedRow row;
    row.simulated_s = row.high_s = row.low_s = *time_s;
    row.startup_s = *startup_s;
    row.choice = "messages";
    if (run.test == PairTest::ping_pong) {
      row.limit_s = limits.of(problem);
    } else {
      // Messages that follow each other hide the start-up of all but the first.
      constexpr double kLeast_s = 1e-9;
      row.low_s = std::max(*time_s - *startup_s, kLeast_s);
    }
    expected.rows[i] = row;
  }
  expected.by = "simulated messages";
  expected.machine = describe(machine).facts.name;
  if (!curve.nodes) {
    expected.assumed.emplace_back(
        "the two ranks of a pair run on different nodes; $nodes=1 says that all share one");
  }
}

// The cards of a node.
struct NodeCards {
  std::uint32_t count = 1;
  double bytes_per_s = 0;  // of each card, in one direction
};

// Returns the cards that the options describe; nothing if they do not say how fast a card is.
std::optional<NodeCards> cards_of(const NcclOptions& options) {
  NodeCards cards;
  for (const GpuPreset& each : gpu_presets()) {
    if (options.gpu && each.name == *options.gpu && each.cards > 0) {
      cards = {each.cards, each.card_bytes_per_s};
    }
  }
  cards.count = options.nics ? options.nics->value : cards.count;
  cards.bytes_per_s =
      options.nic_gb_per_s ? options.nic_gb_per_s->value * kGigabyte : cards.bytes_per_s;
  return cards.bytes_per_s > 0 ? std::optional(cards) : std::nullopt;
}

void expect_rate_of_cards(const MeasuredCurve& curve, const NodeCards& cards,
                          Expectation& expected) {
  const PairRun& run = *curve.pair;
  const double startup_s = std::ranges::min_element(curve.rows, {}, &CurveRow::time_s)->time_s;
  const double all = cards.count * cards.bytes_per_s;
  const double least = std::min(cards.count, run.pairs()) * cards.bytes_per_s;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const double bytes = static_cast<double>(curve.rows[i].bytes) * run.sends * run.pairs();
    ExpectedRow row;
    row.limit_s = bytes / all;
    row.low_s = std::max(bytes / all, startup_s);
    row.high_s = bytes / least + startup_s;
    row.startup_s = startup_s;
    row.choice = "messages";
    expected.rows[i] = row;
  }
  expected.by = "the rate of the cards";
  expected.machine = fmt::format("nodes with {} of {:g} Gb/s", counted(cards.count, "card"),
                                 8 * cards.bytes_per_s / kGigabyte);
  expected.assumed.emplace_back("the start-up is the shortest measured time");
  if (!curve.nodes) {
    expected.assumed.emplace_back("the two ranks of a pair run on different nodes");
  }
}

}  // namespace

Expectation pair_expectation(const MeasuredCurve& curve, const ExpectationOptions& options) {
  Expectation expected;
  expected.rows.resize(curve.rows.size());
  constexpr std::uint32_t kMostRanks = 1024;
  if (curve.nodes == 1U) {
    expected.why_not = "messages within a node pass its memory, whose rate is not known";
  } else if (options.platform != nullptr && curve.ranks <= kMostRanks) {
    expect_simulated(curve, *options.platform, expected);
  } else if (const auto cards = cards_of(options.nccl);
             cards && !(curve.pair->in_ring && curve.ranks > 2)) {
    expect_rate_of_cards(curve, *cards, expected);
  } else {
    expected.why_not =
        "the link is not known; give $nic_bw, such as $nic_bw=200Gbps, or $platform, such as "
        "$platform=crossbar:2,bw=200Gbps,lat=1us";
  }
  if (!expected.why_not.empty()) {
    expected.rows.assign(curve.rows.size(), std::nullopt);
  }
  return expected;
}

}}  // namespace tutti::experiments
