// Checks that every moment of a run's simulated time belongs to exactly one piece of the account.
#include "src/simulation/explain/time_account.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/output/explanation_text.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/account_rows.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/flow_run.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"
#include "tests/src/simulation/hand_made.hpp"

namespace tutti::test_time_account {

namespace {

Machine machine_on(const std::string& file, std::uint32_t ranks, std::uint32_t ranks_per_host) {
  Machine machine;
  machine.spec.source.file = source_dir() + "/platforms/" + file;
  open_platform(machine.spec, machine.files);
  place_ranks(machine, ranks, ranks_per_host);
  choose_engine(machine);
  return machine;
}

Explanation explain(const Algorithm& algorithm, const Problem& problem, const Machine& machine) {
  Machine whole = machine;
  whole.spec.symmetry = SymmetryUse::off;
  return explain(simulate(algorithm, problem, whole, Detail::times_only));
}

void check_adds_up(const Explanation& explanation) {
  const TimeAccount& account = explanation.account;
  CHECK(std::fabs(account.sum_s() - account.total_s) <= 1e-12 * account.total_s);
  bool sound = true;
  for (const Piece& piece : account.pieces) {
    sound = sound && piece.seconds >= 0 && piece.on != Spending::lateness;
  }
  CHECK(sound);
  double sum_s = 0;
  for (const AccountRow& row : rows_of(account, *explanation.run.schedule)) {
    sum_s += row.seconds;
  }
  CHECK(std::fabs(sum_s - account.total_s) <= 1e-12 * account.total_s);
  // The result of the run has the same account, but does not distinguish links. In short runs,
  // rounding changes a piece of the account, and the slack on the chain, by up to 2 ps.
  constexpr double kRounding_s = 2e-12;
  explanation.run.result.chain.spent.each([&](Spending on, double seconds) {
    CAPTURE(name(on), seconds, account.seconds_on(on));
    CHECK(std::fabs(seconds - account.seconds_on(on)) <=
          std::max(2e-9 * account.total_s, kRounding_s));
  });
  // The waterfall ends at the total, and each subtotal is the sum of the steps so far.
  double so_far_s = 0;
  double worst_s = 0;
  for (const WaterfallStep& step : explanation.waterfall.steps) {
    if (step.kind == WaterfallStep::Kind::subtotal) {
      worst_s = std::max(worst_s, std::fabs(step.seconds - so_far_s));
    } else {
      so_far_s += step.seconds;
    }
  }
  CHECK(worst_s <= 1e-12 * account.total_s);
  CHECK(explanation.waterfall.steps.back().seconds == account.total_s);
  // No slack is negative, and none exceeds the total.
  const auto [least, most] =
      std::minmax_element(explanation.slack.op_s.begin(), explanation.slack.op_s.end());
  CHECK(*least >= 0);
  CHECK(*most <= account.total_s);
  // Operations on the critical chain have no slack.
  double slack_s = 0;
  for (const ChainStep& step : account.chain) {
    slack_s = std::max(slack_s, explanation.slack.op_s[step.op]);
  }
  CHECK(slack_s <= std::max(1e-9 * account.total_s, kRounding_s));
}

std::string text_of(const Explanation& explanation) {
  std::string text;
  for (const AccountRow& row : rows_of(explanation.account, *explanation.run.schedule)) {
    text += fmt::format("{}: {:.9g}\n", slowed_in_words(row.on, row.link, row.part, explanation),
                        row.seconds);
  }
  for (const WaitRow& row : waits_of(explanation.account, *explanation.run.schedule)) {
    text += fmt::format("{}: {:.9g}\n", wait_in_words(row, explanation), row.seconds);
    for (const RowPart& part : row.parts) {
      text +=
          fmt::format("  {}: {:.9g}\n", slowed_in_words(part.on, part.link, part.part, explanation),
                      part.seconds);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("Two flows that share a link lose half their time to it") {
  ExplainedByHand made(3, 3);
  made.machine().setup.ports = kUnlimitedPorts;
  made.send(0, 2, 3);
  made.send(1, 2, 3);
  const Explanation explanation = made.explain();
  CHECK(text_of(explanation) ==
        "transfer: 3\n"
        "slowed by sharing host 2 down: 3\n"
        "start-up: 1\n");
  // The lost time is the sum over both messages.
  CHECK(explanation.links.front().link.statistics.lost_s == Approx(6));
  CHECK(explanation.links.front().link.statistics.bytes == 48);
  CHECK(explanation.links.front().link.statistics.most_at_once == 2);
  CHECK(explanation.links.front().link.senders == std::vector<Rank>{0, 1});
  CHECK(explanation.links.front().link.levels == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("A wait for a port is charged to what held the port") {
  ExplainedByHand made(3, 4);
  made.send(0, 1, 4);
  made.send(0, 2, 2);
  CHECK(text_of(made.explain()) ==
        "transfer: 6\n"
        "start-up: 2\n"
        "waiting for the outgoing port of rank 0: 5\n"
        "  transfer: 4\n"
        "  start-up: 1\n");
}

TEST_CASE("A wait begins when the operation is ready, even while the port is busy") {
  ExplainedByHand made(4, 4);
  made.send(0, 1, 4);
  const OpId before = made.send(3, 0, 2);
  made.send(0, 2, 2, {before});
  // The third message is ready at 3 s, and the port is in use from 0 s to 5 s.
  CHECK(text_of(made.explain()) ==
        "transfer: 6\n"
        "start-up: 2\n"
        "waiting for the outgoing port of rank 0: 2\n"
        "  transfer: 2\n");
}

TEST_CASE("A wait for a port on a shared link is divided by the activities of the port's holder") {
  ExplainedByHand made(4, 4);
  made.machine().setup.ports = 2;
  made.send(0, 1, 2);
  made.send(0, 1, 2);
  const OpId before = made.send(3, 0, 1);
  made.send(0, 2, 1, {before});
  // The first two messages flow from 1 s to 5 s at half the rate. The last one is ready at 2 s.
  CHECK(text_of(made.explain()) ==
        "transfer: 3\n"
        "start-up: 2\n"
        "slowed by sharing host 0 up: 2\n"
        "waiting for the outgoing port of rank 0: 3\n"
        "  transfer: 1.5\n"
        "  slowed by sharing host 0 up: 1.5\n");
}

TEST_CASE("A chain of reductions counts as reduction") {
  ExplainedByHand made(2, 3);
  OpId last = made.send(0, 1, 3);
  for (int i = 0; i < 3; ++i) {
    last = made.reduce(1, 3, {last});
  }
  CHECK(text_of(made.explain()) ==
        "reduction: 9\n"
        "transfer: 3\n"
        "start-up: 1\n");
}

TEST_CASE("Each link is charged for the time in which it limited the flow") {
  ExplainedByHand made(5, 4);
  made.machine().setup.ports = kUnlimitedPorts;
  made.send(0, 2, 4);  // ends last
  made.send(0, 3, 3);
  made.send(1, 2, 1);
  made.send(4, 2, 1);
  // Until 4 s, the down-link of host 2 gives the first message a third of its bandwidth, which
  // leaves two thirds of the up-link of host 0 to the second message. From 4 s to 6 s, these two
  // messages share the up-link. After that, the first message is alone for 2 s.
  CHECK(text_of(made.explain()) ==
        "transfer: 4\n"
        "slowed by sharing host 2 down: 2\n"
        "start-up: 1\n"
        "slowed by sharing host 0 up: 1\n");
}

TEST_CASE("The load of a link is what its messages really use at each moment") {
  ExplainedByHand made(5, 4);
  made.machine().setup.ports = kUnlimitedPorts;
  made.send(0, 2, 4);
  made.send(0, 3, 3);
  made.send(1, 2, 1);
  made.send(4, 2, 1);
  // The rates are those of the previous test, and change at 4 s and 6 s.
  const Explanation explanation = made.explain();
  std::map<std::string, std::string> by_name;
  for (const LoadCurve& curve : load_curves(explanation)) {
    std::string& text = by_name[explanation.links[curve.link].link.place.name];
    for (const auto& [at_s, load] : curve.values) {
      text += fmt::format(" {:.9g} from {:.9g},", load, at_s);
    }
  }
  std::string all;
  for (const auto& [name, loads] : by_name) {
    all += name + ":" + loads + '\n';
  }
  CHECK(all ==
        "host 0 up: 1 from 1, 0 from 8,\n"
        "host 1 up: 0.333333333 from 1, 0 from 4,\n"
        "host 2 down: 1 from 1, 0.5 from 4, 1 from 6, 0 from 8,\n"
        "host 3 down: 0.666666667 from 1, 0.5 from 4, 0 from 6,\n"
        "host 4 up: 0.333333333 from 1, 0 from 4,\n");
}

TEST_CASE("An eager message whose receiver was not ready is not on the chain") {
  ExplainedByHand made(3, 3);
  made.machine().setup.eager_bytes = 8;
  const OpId before = made.send(2, 1, 3);
  const OpId busy = made.reduce(1, 3, {before});
  const OpId eager = made.send(0, 1, 1, {busy});
  made.reduce(1, 1, {eager});
  // The eager message arrives at 2 s, or at 6 s if it must wait for the port of rank 1. Rank 1 is
  // busy until 7 s.
  CHECK(text_of(made.explain()) ==
        "reduction: 4\n"
        "transfer: 3\n"
        "start-up: 1\n");
}

TEST_CASE("A far route has its own start-up") {
  ExplainedByHand far(2, 1);
  far.machine() = machine_on("torus_64.xml", 64, 1);
  ScheduleBuilder builder(problem_of(Collective::bcast, 64, 8), 1);
  const OpId near = builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kWork}, {});
  builder.comm({1, 0}, 1, 43, {{0, 1}, kWork, kWork}, std::vector{near});
  const Explanation explanation = explain(simulate_file(
      "made.sched", algorithm_named("bcast/linear"), builder.finish(), far.machine(), 0));
  const OwnTimes own = own_times_on_routes(64, far.machine());
  const Schedule& schedule = *explanation.run.schedule;
  CHECK(own(0, schedule.op(0)).startup_s < own(1, schedule.op(1)).startup_s);
  CHECK(explanation.account.seconds_on(Spending::startup) ==
        Approx(own(0, schedule.op(0)).startup_s + own(1, schedule.op(1)).startup_s));
  CHECK(explanation.account.seconds_on(Spending::sharing) == 0);
}

TEST_CASE("Slack is how much later an operation could be, with the order at ports kept") {
  ExplainedByHand made(4, 4);
  made.send(0, 1, 4);                         // runs from 0 s to 5 s
  const OpId short_one = made.send(2, 3, 1);  // runs from 0 s to 2 s
  // Waits for the port of rank 1 until 5 s, and ends at 7 s.
  made.send(3, 1, 1, {short_one});
  const Explanation explanation = made.explain();
  CHECK(explanation.account.total_s == Approx(7));
  CHECK(explanation.slack.op_s[0] == Approx(0).margin(1e-12));
  CHECK(explanation.slack.op_s[1] == Approx(3));
  CHECK(explanation.slack.op_s[2] == Approx(0).margin(1e-12));
  CHECK(explanation.slack.ranks[2].slack_s == Approx(3));
  CHECK(explanation.slack.ranks[2].busy_s == Approx(2));
  CHECK(explanation.slack.ranks[1].busy_s == Approx(7));
}

namespace {

// Configuration of a run in the test over all algorithms.
struct Way {
  std::string file;
  std::uint32_t ports;
  std::int64_t eager_bytes;
  std::uint32_t ranks_per_host;
};

void check_all(const std::vector<Way>& ways, std::uint32_t ways_of_each) {
  std::uint32_t turn = 0;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (std::uint32_t ranks = 2; ranks <= 17; ++ranks) {
      // If only a few configurations are checked, skips every other number of ranks.
      if (ways_of_each < ways.size() && ranks > 5 && turn++ % 2 == 0) {
        continue;
      }
      const Problem problem = problem_of(*algorithm, ranks, std::uint64_t{ranks} * 997 + 3);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      for (std::uint32_t i = 0; i < ways_of_each; ++i) {
        const Way& way = ways[turn++ % ways.size()];
        CAPTURE(way.file, algorithm->full_name(), ranks, way.ranks_per_host, way.ports,
                way.eager_bytes);
        Machine machine = machine_on(way.file, ranks, way.ranks_per_host);
        machine.setup.ports = way.ports;
        machine.setup.eager_bytes = way.eager_bytes;
        check_adds_up(explain(*algorithm, problem, machine));
      }
    }
  }
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const char* file :
       {"crossbar_64.xml", "ethernet_1g_32.xml", "infiniband_hdr_128.xml",
        "infiniband_hdr_128_thin.xml", "infiniband_hdr_1024_thin.xml", "slingshot_128.xml",
        "smp_16x8.xml", "smp_32x32.xml", "torus_64.xml", "torus_512.xml"}) {
    for (const std::uint32_t ports : {1U, 2U, kUnlimitedPorts}) {
      for (const std::int64_t eager_bytes : {-1, 4096}) {
        const bool several = std::string(file).starts_with("smp");
        for (const std::uint32_t ranks_per_host : {several ? 2U : 1U, several ? 8U : 1U}) {
          ways.push_back({file, ports, eager_bytes, ranks_per_host});
        }
      }
    }
  }
  return ways;
}

}  // namespace

TEST_CASE("The account of every algorithm adds up to its simulated time") {
  check_all(all_ways(), 8);
}

TEST_CASE("The account of every algorithm adds up everywhere", "[slow]") {
  const std::vector<Way> ways = all_ways();
  check_all(ways, static_cast<std::uint32_t>(ways.size()));
}

}  // namespace tutti::test_time_account
