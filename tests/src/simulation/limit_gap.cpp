// The parts that separate a run from the lower bound: they add up, agree with the statistics of
// links, and equal numbers that were worked out by hand.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/explain/one_rank.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"
#include "tests/src/simulation/hand_made.hpp"

namespace tutti::test_limit_gap {

namespace {

double part_of(const LimitGap& gap, GapPart kind) {
  for (const auto& [part, seconds] : gap.parts) {
    if (part == kind) {
      return seconds;
    }
  }
  return 0;
}

// Checks what must hold for every run.
void check_gap(const Explanation& explanation) {
  const LimitGap& gap = *explanation.limit;
  const double total_s = gap.total_s;
  // Operations may end 1 ps early, because events of one instant are simultaneous.
  const double instants_s = 1e-12 * explanation.run.schedule->size();
  const BoundPart& bound = gap.bound.deciding();
  INFO(name(bound.kind) << " by " << name(bound.form));
  REQUIRE(gap.sum_s() == Approx(total_s).epsilon(1e-9).margin(0));
  REQUIRE(part_of(gap, GapPart::limit) == gap.bound.seconds());
  for (const auto& [part, seconds] : gap.parts) {
    INFO(name(part));
    // Messages that need not cross may be faster than all that must.
    const double least_s = part == GapPart::latencies                       ? -total_s
                           : part == GapPart::before && bound.messages == 1 ? -bound.startup_s
                                                                            : 0;
    REQUIRE(seconds >= least_s - 1e-9 * total_s - instants_s);
  }
  if (gap.has_cut()) {
    REQUIRE(gap.crossed >= bound.amount * (1 - 1e-9));
    double idle = 0;
    for (const double share : gap.idle) {
      REQUIRE(share <= 1 + 1e-9);
      idle += share / LimitGap::kTenths;
    }
    const double idle_s = bound.startup_s + part_of(gap, GapPart::before) +
                          part_of(gap, GapPart::starting) + part_of(gap, GapPart::waiting) +
                          part_of(gap, GapPart::after) + part_of(gap, GapPart::unused);
    REQUIRE(idle * total_s == Approx(idle_s).epsilon(1e-9).margin(1e-9 * total_s));
  } else {
    REQUIRE(gap.crossed == 0);
  }
}

// Compares the parts with the statistics that the engine keeps for each link. Returns false if the
// cut does not consist of links.
bool check_links(const Explanation& explanation) {
  const LimitGap& gap = *explanation.limit;
  const BoundPart& bound = gap.bound.deciding();
  if (bound.limits.empty() || std::ranges::any_of(bound.limits, [](const BoundLimit& limit) {
        return limit.kind != BoundLimit::Kind::link;
      })) {
    return false;
  }
  std::map<std::string, LinkStatistics> used;
  for (const LinkInRun& link : explanation.links) {
    used[link.link.name] = link.link.statistics;
  }
  double crossed = 0;
  double busy_s = 0;
  for (const BoundLimit& limit : bound.limits) {
    const LinkStatistics& link = used[gap.network->link_name(limit.of)];
    crossed += limit.length * static_cast<double>(link.bytes);
    busy_s += link.busy_s * limit.length * limit.capacity_bytes_per_s / bound.rate;
  }
  REQUIRE(gap.crossed == Approx(crossed).epsilon(1e-9));
  const double slow_s = busy_s - crossed / bound.rate;
  REQUIRE(part_of(gap, GapPart::slow) == Approx(slow_s).epsilon(1e-9).margin(1e-9 * gap.total_s));
  return true;
}

Explanation with_limit(Explanation explanation) {
  explanation.limit = limit_gap(explanation.run, explanation.account, false);
  return explanation;
}

std::string kept(const std::string& platform) { return source_dir() + "/platforms/" + platform; }

// Explains a run of the algorithm on a platform file, or on a crossbar if `platform` is empty.
// Returns nothing if the algorithm cannot run there.
std::optional<Explanation> explained(const Algorithm& algorithm, const std::string& platform,
                                     std::uint32_t ranks, std::uint32_t ranks_per_host,
                                     std::uint32_t ports, std::uint64_t bytes, bool eager) {
  OpenedMachine opened;
  if (!platform.empty()) {
    opened.spec.source.file = platform;
    open_platform(opened.spec, opened.files);
  }
  opened.spec.ports = ports;
  opened.spec.symmetry = SymmetryUse::off;
  opened.spec.eager_bytes = eager ? std::optional<std::uint64_t>(1U << 14U) : std::nullopt;
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = ranks;
  problem.bytes = problem.collective == Collective::barrier ? 0 : bytes;
  problem.ranks_per_node = ranks_per_host;
  if (algorithm.in_network()) {
    return std::nullopt;
  }
  try {
    check(algorithm, problem);
    const Machine machine = opened.machine(ranks, ranks_per_host, problem.element_bytes);
    return with_limit(explain(simulate(algorithm, problem, machine, Detail::times_only)));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void check_close(double found, double known) {
  CHECK(found == Approx(known).epsilon(1e-12).margin(1e-12));
}

}  // namespace

TEST_CASE("The parts between a run and its limit add up") {
  std::mt19937_64 random(20261127);
  const auto below = [&random](std::uint64_t bound) { return random() % bound; };
  const std::vector<std::string> platforms{"", kept("torus_64.xml"),
                                           kept("infiniband_hdr_128_thin.xml"),
                                           kept("smp_16x8.xml"), kept("slingshot_128.xml")};
  std::map<std::string_view, std::size_t> forms;
  std::size_t of_links = 0;
  for (const Algorithm* const algorithm : algorithms()) {
    for (int i = 0; i < 3; ++i) {
      const std::string& platform = platforms[below(platforms.size())];
      const auto ranks = static_cast<std::uint32_t>(2 + below(16));
      const std::uint32_t ranks_per_host = below(2) == 0 ? 1 : 4;
      const auto ports = static_cast<std::uint32_t>(below(3));
      const std::uint64_t bytes = below(2) == 0 ? 4096 : 1'000'000;
      const bool eager = below(4) == 0;
      const auto explanation =
          explained(*algorithm, platform, ranks, ranks_per_host, ports, bytes, eager);
      if (!explanation || explanation->limit->total_s == 0) {
        continue;
      }
      INFO(algorithm->full_name() << " -p " << ranks << " -n " << bytes << " --ports " << ports
                                  << " --ranks-per-host " << ranks_per_host << " on " << platform
                                  << (eager ? ", eager" : ""));
      REQUIRE(explanation->limit->unknown.empty());
      if (explanation->limit->parts.empty()) {
        CHECK(explanation->limit->bound.seconds() == 0);
        continue;
      }
      check_gap(*explanation);
      of_links += check_links(*explanation) ? 1 : 0;
      ++forms[name(explanation->limit->bound.deciding().form)];
    }
  }
  CHECK(of_links > 50);
  for (const char* const form : {"rounds", "route", "cut", "groups", "rank", "messages", "host"}) {
    INFO(form);
    CHECK(forms[form] > 0);
  }
}

TEST_CASE("A ring waits for latencies and reductions in each round") {
  // 1.25 GB/s, 2 us; a round moves 64 KiB, which take 52.4288 us, and 8.192 us to reduce.
  const auto run = explained(algorithm_named("allreduce/ring"), "", 16, 1, 0, 1U << 20U, false);
  const LimitGap& gap = *run->limit;
  CHECK(gap.bound.deciding().form == Certificate::groups);
  check_close(part_of(gap, GapPart::starting), 29 * 2e-6);
  check_close(part_of(gap, GapPart::waiting), 15 * 8.192e-6);
  CHECK(gap.pauses == 29);
  check_close(gap.bound.seconds(), 2e-6 + 30 * 52.4288e-6);
  for (const GapPart none : {GapPart::extra, GapPart::before, GapPart::after, GapPart::slow}) {
    CHECK(std::abs(part_of(gap, none)) < 1e-12 * gap.total_s);
  }
}

TEST_CASE("Messages within a host do not cross the ports of the host") {
  // A host of the torus has six links of 5 GB/s, and two ranks with one port each.
  std::string torus = contents(kept("torus_64.xml"));
  const std::string_view topology = "topology=";
  torus.insert(torus.find(topology), "loopback_bw=\"20GBps\" loopback_lat=\"100ns\" ");
  const ScratchFolder folder;
  const std::string file = folder.path / "torus.xml";
  std::ofstream(file) << torus;
  const auto run = explained(algorithm_named("scatter/linear"), file, 128, 2, 1, 1'024'000, false);
  REQUIRE(run);
  const BoundPart& bound = run->limit->bound.deciding();
  REQUIRE(bound.limits.size() == 1);
  CHECK(bound.limits[0].kind == BoundLimit::Kind::send_ports);
  check_gap(*run);
  check_close(run->limit->crossed, 126 * 8000);
}

TEST_CASE("A barrier over one rank has more latencies than rounds") {
  const auto run = explained(algorithm_named("barrier/linear"), "", 16, 1, 1, 0, false);
  CHECK(!run->limit->has_cut());
  CHECK(run->limit->chain_messages == 30);
  check_close(part_of(*run->limit, GapPart::latencies), 26 * 2e-6);
}

TEST_CASE("Each message on the chain counts once, even if the next one becomes ready meanwhile") {
  ExplainedByHand made(5, 1);
  made.machine().spec.source.crossbar.speed_flops_per_s = 2;
  made.machine().spec.source.crossbar.bandwidth_bytes_per_s = 1e14;  // bytes take no time
  made.send(0, 1, 1);                                                // 0 to 1 s
  made.send(2, 1, 1, {made.reduce(2, 1, {})});                       // ready at 0.5 s, 1 to 2 s
  const Explanation explanation = with_limit(made.explain());
  check_gap(explanation);
  CHECK(explanation.limit->bound.deciding().form == Certificate::rounds);
  CHECK(explanation.limit->chain_messages == 2);
  check_close(part_of(*explanation.limit, GapPart::latencies), -1);  // 2 s in place of 3 rounds
  check_close(part_of(*explanation.limit, GapPart::rest), 0);
}

// In schedules that are made by hand, a link carries one block per second, and the latency is 1 s.
TEST_CASE("Hand-made runs have the parts that follow from their schedule") {
  SECTION("the first byte is late, crosses twice, pauses and ends early") {
    ExplainedByHand made(2, 10);
    const OpId work = made.reduce(0, 3, {});           // 0 to 3 s
    const OpId first = made.send(0, 1, 10, {work});    // 3 to 14 s
    const OpId second = made.send(0, 1, 10, {first});  // 14 to 25 s
    made.reduce(1, 5, {second});                       // until 30 s
    const Explanation explanation = with_limit(made.explain());
    const LimitGap& gap = *explanation.limit;
    check_gap(explanation);
    check_close(gap.total_s, 30);
    check_close(gap.bound.seconds(), 11);  // rank 1 must get 10 blocks
    check_close(part_of(gap, GapPart::extra), 10);
    check_close(part_of(gap, GapPart::before), 3);
    check_close(part_of(gap, GapPart::starting), 1);
    check_close(part_of(gap, GapPart::waiting), 0);
    CHECK(gap.pauses == 1);
    check_close(part_of(gap, GapPart::after), 5);
    check_close(gap.idle[0], 1);
    check_close(gap.idle[1], 1.0 / 3);  // the first byte crosses at 4 s
    check_close(gap.idle[4], 1.0 / 3);  // no byte crosses from 14 to 15 s
    CHECK(gap.most_idle == 0);
    CHECK(gap.first_round == 0);
    CHECK(gap.last_round == 0);
  }
  SECTION("another link slows the messages of the cut down") {
    // Both messages share the link to rank 1, from 1 s to 21 s. The cut is the link from rank 0.
    ExplainedByHand made(3, 10);
    made.machine().setup.ports = kUnlimitedPorts;
    made.send(0, 1, 10);
    made.send(2, 1, 10);
    const Explanation explanation = with_limit(made.explain());
    const LimitGap& gap = *explanation.limit;
    check_gap(explanation);
    CHECK(check_links(explanation));
    check_close(gap.total_s, 21);
    check_close(gap.bound.seconds(), 11);
    check_close(part_of(gap, GapPart::slow), 10);
    check_close(part_of(gap, GapPart::unused), 0);
  }
}

TEST_CASE("Reductions are a limit whose cut is the cores") {
  // At this price, a block of 64 KiB takes 6.5536 ms to reduce. Sending it takes 52.4288 us.
  Machine machine;
  machine.spec.symmetry = SymmetryUse::off;
  machine.spec.prices.gamma_s_per_byte = 1e-7;
  place_ranks(machine, 16, 1);
  choose_engine(machine);
  const Algorithm& ring = algorithm_named("allreduce/ring");
  const Problem problem = problem_of(ring, 16, (1U << 20U) / 8);
  const Explanation explanation =
      with_limit(explain(simulate(ring, problem, machine, Detail::times_only)));
  const LimitGap& gap = *explanation.limit;
  CHECK(gap.bound.deciding().form == Certificate::work);
  check_gap(explanation);
  check_close(part_of(gap, GapPart::before), 52.4288e-6);
  check_close(part_of(gap, GapPart::waiting), 14 * (2e-6 + 52.4288e-6));
  check_close(part_of(gap, GapPart::after), 15 * (2e-6 + 52.4288e-6));
  CHECK(gap.pauses == 14);
}

TEST_CASE("One rank has the parts of all ranks") {
  std::map<std::string_view, std::size_t> forms;
  for (const Algorithm* const algorithm : algorithms()) {
    for (const std::uint32_t ranks : {8U, 13U}) {
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        for (const double gamma : {1e-10, 1e-7}) {
          Machine machine;
          machine.spec.prices.gamma_s_per_byte = gamma;
          place_ranks(machine, ranks, 1);
          choose_engine(machine);
          machine.setup.ports = ports;
          const Problem problem = problem_of(*algorithm, ranks, 10'000);
          if (algorithm->refusal != nullptr && algorithm->refusal(problem)) {
            continue;
          }
          const auto one = explain_one_rank(*algorithm, problem, machine, false);
          if (!one) {
            continue;
          }
          INFO(algorithm->full_name() << " on " << ranks << " ranks, ports " << ports);
          machine.spec.symmetry = SymmetryUse::off;
          const Explanation all =
              with_limit(explain(simulate(*algorithm, problem, machine, Detail::times_only)));
          REQUIRE(one->limit->parts.size() == all.limit->parts.size());
          if (all.limit->parts.empty()) {
            continue;
          }
          check_gap(*one);
          ++forms[name(all.limit->bound.deciding().form)];
          for (std::size_t i = 0; i < all.limit->parts.size(); ++i) {
            INFO(name(all.limit->parts[i].first));
            CHECK(
                one->limit->parts[i].second ==
                Approx(all.limit->parts[i].second).epsilon(1e-9).margin(1e-9 * all.limit->total_s));
          }
          CHECK(one->limit->crossed == Approx(all.limit->crossed));
          CHECK(one->limit->pauses == all.limit->pauses);
          CHECK(one->limit->chain_messages == all.limit->chain_messages);
        }
      }
    }
  }
  CHECK(forms["work"] > 0);
  CHECK(forms["groups"] + forms["cut"] + forms["rank"] > 5);
}

TEST_CASE("Without a bound, the reason is known") {
  ExplainedByHand made(2, 10);
  made.machine().engine = &engine_named("critical-path");
  made.send(0, 1, 10);
  CHECK(with_limit(made.explain()).limit->unknown.find("critical-path") != std::string::npos);
}

}  // namespace tutti::test_limit_gap
