// Compares what-if changes with platforms that were edited by hand.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "schedules/registry.hpp"
#include "src/requests/machine_options.hpp"
#include "src/simulation/explain/sensitivity.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_what_if {

namespace {

const std::string kHead =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">";

// Returns a platform of one <cluster> with the given bandwidth and latency.
std::string cluster(const std::string& bandwidth, const std::string& latency,
                    const std::string& rest, const std::string& speed = "1Gf") {
  return fmt::format(
      "{}<cluster id=\"c\" prefix=\"n-\" suffix=\"\" speed=\"{}\" bw=\"{}\" lat=\"{}\" {}/>"
      "</platform>\n",
      kHead, speed, bandwidth, latency, rest);
}

const std::string kStar = "radical=\"0-15\" sharing_policy=\"SPLITDUPLEX\"";
const std::string kTree =
    "radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,1\"";
const std::string kTorus = "radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,4\"";
const std::string kDragonfly =
    "radical=\"0-15\" topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;2,1;2\"";

// A star of four hosts, or a tree of two leaf switches with two hosts each, in which each link has
// its own bandwidth (in MB/s) and latency. The links of host 0 are named "u0" (up) and "d0" (down),
// and those of leaf switch 0 "U0" and "D0". Links that are not in the maps have 1000 MB/s and 1 us.
struct ByHand {
  bool tree = false;
  std::map<std::string, double> bandwidth = {};
  std::map<std::string, double> latency_us = {};
  std::map<int, double> gflops = {};
  std::string policy = "SHARED";

  [[nodiscard]] std::string xml() const {
    std::string text = kHead + "<zone id=\"z\" routing=\"Dijkstra\">";
    for (int host = 0; host < 4; ++host) {
      text += fmt::format("<host id=\"n-{}\" speed=\"{}Gf\"/>", host,
                          gflops.count(host) > 0 ? gflops.at(host) : 1);
    }
    const auto link = [&](const std::string& name) {
      text += fmt::format(
          "<link id=\"{}\" bandwidth=\"{}MBps\" latency=\"{}us\" sharing_policy=\"{}\"/>", name,
          bandwidth.count(name) > 0 ? bandwidth.at(name) : 1000,
          latency_us.count(name) > 0 ? latency_us.at(name) : 1, policy);
    };
    for (int host = 0; host < 4; ++host) {
      link(fmt::format("u{}", host));
      link(fmt::format("d{}", host));
    }
    for (int leaf = 0; tree && leaf < 2; ++leaf) {
      link(fmt::format("U{}", leaf));
      link(fmt::format("D{}", leaf));
    }
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from == to) {
          continue;
        }
        text += fmt::format(
            "<route src=\"n-{}\" dst=\"n-{}\" symmetrical=\"NO\"><link_ctn id=\"u{}\"/>", from, to,
            from);
        if (tree && from / 2 != to / 2) {
          text += fmt::format("<link_ctn id=\"U{}\"/><link_ctn id=\"D{}\"/>", from / 2, to / 2);
        }
        text += fmt::format("<link_ctn id=\"d{}\"/></route>", to);
      }
    }
    return text + "</zone></platform>\n";
  }
};

const std::string kSmallStar = "radical=\"0-3\" sharing_policy=\"SPLITDUPLEX\"";
const std::string kSmallTree =
    "radical=\"0-3\" topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,1;1,1\"";

struct WhatIfRun {
  std::string xml;
  WhatIfOptions what_if = {};
  std::string engine = "flow";
  std::string model = "hockney";
  std::uint32_t ranks = 16;
  std::string algorithm = "allreduce/ring";
  std::uint32_t per_host = 1;
  std::string alpha = {};
};

Problem problem_of(const WhatIfRun& request) {
  return tutti::problem_of(algorithm_named(request.algorithm).collective, request.ranks, 10000);
}

Machine machine_of(const WhatIfRun& request, const std::string& file) {
  MachineOptions options;
  if (!request.xml.empty()) {
    std::ofstream(file) << request.xml;
    options.platform = file;
  }
  options.engine = request.engine;
  if (request.engine != "critical-path") {
    options.network_model = request.model;
  }
  if (!request.alpha.empty()) {
    options.alpha_s = {parse_time_s("$alpha", request.alpha), request.alpha};
  }
  options.what_if = request.what_if;
  const Problem problem = problem_of(request);
  KeptMessages messages;
  return options.open(messages).machine(problem.ranks, request.per_host, problem.element_bytes);
}

Simulation run(const WhatIfRun& request) {
  const ScratchFolder folder;
  const Machine machine = machine_of(request, folder.path / "platform.xml");
  const Algorithm& algorithm = algorithm_named(request.algorithm);
  return simulate(algorithm, problem_of(request), machine, Detail::payload);
}

WhatIfOptions what_if(const std::string& text) {
  WhatIfOptions options;
  options.what_if = text;
  return options;
}

// Checks that the times of all operations differ by at most `epsilon` times the total time, and
// that the prices of formulas are equal.
void check_same(const WhatIfRun& changed, const WhatIfRun& edited, double epsilon = 0) {
  const Simulation a = run(changed);
  const Simulation b = run(edited);
  INFO(changed.what_if.what_if.value_or("")
       << " on " << changed.xml << " by " << changed.engine << ", " << changed.model);
  REQUIRE(a.timeline.end_s.size() == b.timeline.end_s.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.timeline.end_s.size(); ++i) {
    worst = std::max({worst, std::abs(a.timeline.start_s[i] - b.timeline.start_s[i]),
                      std::abs(a.timeline.end_s[i] - b.timeline.end_s[i])});
  }
  CHECK(worst <= epsilon * b.timeline.total_s);
  const Prices& prices = a.result.described.prices;
  const Prices& wanted = b.result.described.prices;
  CHECK(prices.alpha_s == Approx(wanted.alpha_s).epsilon(1e-14));
  CHECK(prices.beta_s_per_byte == Approx(wanted.beta_s_per_byte).epsilon(1e-14));
  CHECK(prices.gamma_s_per_byte == Approx(wanted.gamma_s_per_byte).epsilon(1e-14));
}

}  // namespace

TEST_CASE("What-ifs of a whole cluster equal its edited XML") {
  for (const std::string& shape : {kStar, kTree, kTorus, kDragonfly}) {
    for (const std::string model : {"hockney", "lv08"}) {
      for (const std::string algorithm : {"allreduce/ring", "alltoall/linear"}) {
        WhatIfRun request{.xml = cluster("1GBps", "2us", shape),
                          .what_if = what_if("bw*2"),
                          .model = model,
                          .algorithm = algorithm};
        WhatIfRun edited = request;
        edited.what_if = {};
        edited.xml = cluster("2GBps", "2us", shape);
        check_same(request, edited);
        request.what_if = what_if("lat * 0.5; gamma*2");
        edited.xml = cluster("1GBps", "1us", shape, "0.5Gf");
        check_same(request, edited);
        request.what_if = what_if("bw(*)*0.3");
        edited.xml = cluster("0.3GBps", "2us", shape);
        check_same(request, edited, 1e-13);
      }
    }
  }
}

TEST_CASE("What-ifs of the built-in crossbar equal those of a cluster") {
  WhatIfRun request{.xml = "",
                    .what_if = what_if("bw(host links)*2; lat*0.5; gamma*4"),
                    .algorithm = "alltoall/linear"};
  WhatIfRun edited{.xml = cluster("2.5GBps", "0.5us", kStar, "0.25Gf"),
                   .algorithm = "alltoall/linear"};
  check_same(request, edited);
  // Changes single links, so that the platform is no longer a crossbar.
  request.what_if = what_if("bw(node-3 up)*0.5; lat(host 3 down)*2");
  edited.xml = cluster("1.25GBps", "1us", kStar);
  edited.what_if = what_if("bw(c_link_3_UP)*0.5; lat(c_link_3_DOWN)*2");
  check_same(request, edited);
  // The user's prices apply before the changes: a link with twice the bandwidth has half of the
  // given beta.
  request.alpha = "6us";
  edited.xml = cluster("1.25GBps", "3us", kStar);
  check_same(request, edited);
  request.what_if = what_if("lat*0.5");
  edited.what_if = {};
  edited.xml = cluster("1.25GBps", "1.5us", kStar);
  check_same(request, edited);
}

TEST_CASE("What-ifs of some links of a cluster equal XML with separate links") {
  const auto compare = [](const std::string& shape, const WhatIfOptions& options,
                          const ByHand& by_hand) {
    for (const std::string engine : {"flow", "simgrid"}) {
      for (const std::string model : {"hockney", "lv08"}) {
        for (const std::string algorithm : {"alltoall/linear", "allreduce/recursive_doubling"}) {
          const WhatIfRun request{.xml = cluster("1GBps", "1us", shape),
                                  .what_if = options,
                                  .engine = engine,
                                  .model = model,
                                  .ranks = 4,
                                  .algorithm = algorithm};
          WhatIfRun edited = request;
          edited.xml = by_hand.xml();
          edited.what_if = {};
          check_same(request, edited, 1e-12);
        }
      }
    }
  };
  compare(kSmallStar, what_if("bw(c_link_1_UP)*0.25"), {.bandwidth = {{"u1", 250}}});
  compare(kSmallStar, what_if("lat(host 2 down)*8"), {.latency_us = {{"d2", 8}}});
  compare(kSmallTree, {}, {.tree = true});
  compare(kSmallTree, what_if("bw(leaf up-links)*2"),
          {.tree = true, .bandwidth = {{"U0", 2000}, {"U1", 2000}}});
  compare(kSmallTree, what_if("bw(up-links)*0.5;lat(leaf down-links)*4"),
          {.tree = true,
           .bandwidth = {{"U0", 500}, {"U1", 500}},
           .latency_us = {{"D0", 4}, {"D1", 4}}});
  WhatIfOptions slow;
  slow.slow_hosts = {{SlowedPart{"2", 0.5}, "2*0.5"}};
  compare(kSmallTree, slow,
          {.tree = true, .bandwidth = {{"u2", 500}, {"d2", 500}}, .gflops = {{2, 0.5}}});
  slow.slow_hosts = {{SlowedPart{"n-1", 0.25}, "n-1*0.25"}};
  slow.slow_links = {{SlowedPart{"host 3 u*", 0.5}, "host 3 u**0.5"}};
  compare(kSmallStar, slow,
          {.bandwidth = {{"u1", 250}, {"d1", 250}, {"u3", 500}}, .gflops = {{1, 0.25}}});
}

TEST_CASE("What-ifs of a platform that SimGrid loads equal its edited XML") {
  const auto compare = [](const WhatIfOptions& options, const ByHand& edited_by_hand) {
    const ByHand plain{.tree = true};
    for (const std::string engine : {"flow", "simgrid"}) {
      for (const std::string model : {"hockney", "lv08"}) {
        const WhatIfRun request{.xml = plain.xml(),
                                .what_if = options,
                                .engine = engine,
                                .model = model,
                                .ranks = 4,
                                .algorithm = "alltoall/linear"};
        WhatIfRun edited = request;
        edited.xml = edited_by_hand.xml();
        edited.what_if = {};
        check_same(request, edited, engine == "flow" && model == "hockney" ? 0 : 1e-12);
      }
    }
  };
  compare(what_if("bw(U*)*2"), {.tree = true, .bandwidth = {{"U0", 2000}, {"U1", 2000}}});
  compare(what_if("lat(u1)*4; bw(D0)*0.5"),
          {.tree = true, .bandwidth = {{"D0", 500}}, .latency_us = {{"u1", 4}}});
  compare(what_if("bw(inner links)*0.5"),
          {.tree = true, .bandwidth = {{"U0", 500}, {"U1", 500}, {"D0", 500}, {"D1", 500}}});
  compare(what_if("sharing=off"), {.tree = true, .policy = "FATPIPE"});
  WhatIfOptions slow;
  slow.slow_hosts = {{SlowedPart{"n-2", 0.5}, "n-2*0.5"}};
  compare(slow, {.tree = true, .bandwidth = {{"u2", 500}, {"d2", 500}}, .gflops = {{2, 0.5}}});
}

TEST_CASE("Without sharing no message is slower than alone") {
  const WhatIfRun request{.xml = cluster("1GBps", "1us", kTree),
                          .what_if = what_if("sharing=off; ports=16"),
                          .algorithm = "alltoall/linear"};
  const Simulation free = run(request);
  CHECK(free.timeline.total_s == Approx(4e-6 + 5000 / 1e9).epsilon(1e-12));
}

TEST_CASE("Ranks are distributed over switches") {
  const ScratchFolder folder;
  WhatIfRun request{.xml = cluster("1GBps", "1us", kTree),
                    .what_if = what_if("placement=switch"),
                    .algorithm = "bcast/linear"};
  const Simulation placed = run(request);
  // The root sends to rank 1 on host 4, at another switch, and to rank 4 on host 1, at the same
  // switch.
  CHECK(placed.result.described.facts.hosts_used == 16);
  const auto length = [&](const Simulation& of, Rank to) {
    for (OpId id = 0; id < of.schedule->size(); ++id) {
      if (of.schedule->op(id).dst() == to) {
        return of.timeline.end_s[id] - of.timeline.start_s[id];
      }
    }
    return -1.0;
  };
  CHECK(length(placed, 1) == Approx(4e-6 + 8e-5).epsilon(1e-12));
  CHECK(length(placed, 4) == Approx(2e-6 + 8e-5).epsilon(1e-12));
  CHECK(length(placed, 15) == Approx(4e-6 + 8e-5).epsilon(1e-12));
  request.what_if = {};
  CHECK(length(run(request), 1) == Approx(2e-6 + 8e-5).epsilon(1e-12));
}

namespace {

// `some` leaves out another port where no message waited for one, so that it changes nothing.
void check_equal(const Improvements& some, Improvements others) {
  CHECK(some.simulated_s == others.simulated_s);
  if (some.found.size() < others.found.size()) {
    std::erase_if(others.found, [](const Improvement& each) {
      return each.what == "one more port" && each.saved == 0;
    });
  }
  REQUIRE(some.found.size() == others.found.size());
  for (std::size_t i = 0; i < some.found.size(); ++i) {
    const Improvement& a = some.found[i];
    const Improvement& b = others.found[i];
    CHECK(a.what == b.what);
    CHECK(a.what_if == b.what_if);
    CHECK(a.simulated_s == b.simulated_s);
    CHECK(a.saved == b.saved);
    CHECK(a.ties_s == b.ties_s);
    CHECK(a.within_ties == b.within_ties);
  }
}

}  // namespace

TEST_CASE("Predicted improvements equal their simulation, best first") {
  const ScratchFolder folder;
  WhatIfRun request{.xml = cluster("1GBps", "1us", kTree), .algorithm = "alltoall/linear"};
  const Machine machine = machine_of(request, folder.path / "platform.xml");
  const Problem problem = problem_of(request);
  const Algorithm& algorithm = algorithm_named(request.algorithm);
  const Improvements helps = what_would_help(algorithm, problem, machine);
  CHECK(helps.simulated_s == run(request).timeline.total_s);
  std::vector<std::string> tried;
  for (std::size_t i = 0; i < helps.found.size(); ++i) {
    const Improvement& each = helps.found[i];
    INFO(each.what);
    tried.push_back(each.what_if);
    CHECK((i == 0 || helps.found[i - 1].simulated_s <= each.simulated_s));
    CHECK(each.saved == Approx(1 - each.simulated_s / helps.simulated_s).margin(1e-12));
    request.what_if = what_if(each.what_if);
    CHECK(run(request).timeline.total_s == each.simulated_s);
  }
  std::sort(tried.begin(), tried.end());
  CHECK(tried == std::vector<std::string>{"bw(host links)*2", "bw(leaf down-links)*2",
                                          "bw(leaf links)*2", "bw(leaf up-links)*2", "gamma*0.5",
                                          "lat*0.5", "placement=switch", "ports=2", "sharing=off"});
  CHECK(helps.found.front().saved > 0.1);
  request.what_if = {};
  check_equal(what_would_help(run(request), machine), helps);
}

TEST_CASE("Changes that cannot have an effect need no simulation") {
  const ScratchFolder folder;
  for (const char* const name :
       {"allreduce/ring", "alltoall/linear", "bcast/binomial", "allgather/ring",
        "allreduce/recursive_doubling", "reduce/linear"}) {
    for (const char* const engine : {"flow", "critical-path"}) {
      for (const double copy_s_per_byte : {0.0, 1e-10}) {
        for (const std::uint32_t tie_runs : {0U, 3U}) {
          const WhatIfRun request{
              .xml = cluster("1GBps", "1us", kTree), .engine = engine, .algorithm = name};
          Machine machine = machine_of(request, folder.path / "platform.xml");
          machine.copy_s_per_byte = copy_s_per_byte;
          machine.setup.ties.runs = tie_runs;
          machine.setup.ties.most_ops = 20'000;
          machine.spec.symmetry = SymmetryUse::off;
          const Algorithm& algorithm = algorithm_named(name);
          const Simulation run =
              simulate(algorithm, problem_of(request), machine, Detail::times_only);
          INFO(name << " by " << engine << ", copies " << copy_s_per_byte << ", " << tie_runs);
          check_equal(what_would_help(run, machine),
                      what_would_help(algorithm, problem_of(request), machine));
        }
      }
    }
  }
}

TEST_CASE("Improvements are found for platforms that SimGrid loads, and for a crossbar") {
  const ScratchFolder folder;
  const WhatIfRun by_hand{
      .xml = ByHand{.tree = true}.xml(), .ranks = 4, .algorithm = "alltoall/linear"};
  const auto kinds = [&](const WhatIfRun& request) {
    std::vector<std::string> found;
    for (const Improvement& each :
         what_would_help(algorithm_named(request.algorithm), problem_of(request),
                         machine_of(request, folder.path / "platform.xml"))
             .found) {
      if (each.what_if.starts_with("bw")) {
        found.push_back(each.what_if);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  CHECK(kinds(by_hand) == std::vector<std::string>{"bw(host links)*2", "bw(inner links)*2"});
  CHECK(kinds({.xml = "", .ranks = 5}) == std::vector<std::string>{"bw(host links)*2"});
  CHECK(kinds({.xml = "", .engine = "critical-path", .ranks = 5}) ==
        std::vector<std::string>{"bw*2"});
}

}  // namespace tutti::test_what_if
