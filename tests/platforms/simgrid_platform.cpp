// Tests platforms that SimGrid has loaded: the order of the hosts, the figures of routes and hosts,
// and the prices.
#include "platforms/simgrid/simgrid_platform.hpp"

#include <catch2/catch.hpp>
#include <simgrid/s4u/Host.hpp>

#include <fstream>
#include <string>
#include <unistd.h>

#include "platforms/crossbar.hpp"
#include "platforms/xml_check.hpp"
#include "sim/isolated_process.hpp"
#include "sim/simgrid/isolated_run.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_simgrid_platform {

namespace {

PlatformSource crossbar(std::uint32_t hosts) {
  PlatformSource source;
  source.crossbar.hosts = hosts;
  return source;
}

// Returns the names of the hosts of ranks 0, 1, ..., separated by blanks.
std::string hosts_of(const PlatformSource& source, const Mapping& mapping) {
  return run_in_child([&](ParentLink&) {
           SimGridPlatform platform(source, "hockney");
           std::string names;
           for (const simgrid::s4u::Host* host : platform.place(mapping, {}, 8).host_of_rank) {
             names += host->get_name() + ' ';
           }
           return names;
         })
      .bytes;
}

}  // namespace

TEST_CASE("ranks are placed on hosts in the order of the XML, not of their names") {
  CHECK(hosts_of(crossbar(12), {12, 1, Placement::block}) ==
        "node-0 node-1 node-2 node-3 node-4 node-5 node-6 node-7 node-8 node-9 node-10 node-11 ");
  const std::string file = "order.xml";
  std::ofstream(file) << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                         "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">"
                         "<zone id=\"z\" routing=\"Full\"><host id=\"zeta\" speed=\"1Gf\"/>"
                         "<host id=\"alpha\" speed=\"2Gf\"/>"
                         "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"
                         "<route src=\"zeta\" dst=\"alpha\"><link_ctn id=\"l\"/></route>"
                         "</zone></platform>\n";
  PlatformSource source;
  source.file = file;
  CHECK(hosts_of(source, {2, 1, Placement::block}) == "zeta alpha ");
  (void)unlink(file.c_str());
}

TEST_CASE("ranks are placed in blocks or in turn") {
  CHECK(hosts_of(crossbar(3), {5, 2, Placement::block}) == "node-0 node-0 node-1 node-1 node-2 ");
  CHECK(hosts_of(crossbar(3), {5, 2, Placement::cyclic}) == "node-0 node-1 node-2 node-0 node-1 ");
  // Two hosts are enough, so the third is not used.
  CHECK(hosts_of(crossbar(3), {4, 2, Placement::cyclic}) == "node-0 node-1 node-0 node-1 ");
}

TEST_CASE("numbers of a crossbar are read back exactly") {
  SimGridConfig config;
  config.platform.crossbar = {7, 1.0 / 3e5, 1e9 / 7, 1e10 / 11};
  const SimGridResult found = describe_isolated(7, config);
  CHECK(found.facts.latency_s == 1.0 / 3e5);
  CHECK(found.facts.fastest_latency_s == 1.0 / 3e5);
  CHECK(found.facts.bandwidth_bytes_per_s == 1e9 / 7);
  CHECK(found.facts.speed_flops_per_s == 1e10 / 11);
  CHECK(found.facts.hosts == 7);
  CHECK(found.facts.routes_looked_at == 42);
  CHECK(found.facts.name == "crossbar:7");
  CHECK(found.facts.notes.empty());
}

TEST_CASE("the file of the 64-host crossbar equals the generated crossbar") {
  SimGridConfig made;
  made.platform = crossbar(64);
  SimGridConfig read;
  read.platform.file = source_dir() + "/platforms/crossbar_64.xml";
  const PlatformFacts a = describe_isolated(64, made).facts;
  const PlatformFacts b = describe_isolated(64, read).facts;
  CHECK(b.name == "crossbar_64.xml");
  CHECK(a.hosts == b.hosts);
  CHECK(a.latency_s == b.latency_s);
  CHECK(a.bandwidth_bytes_per_s == b.bandwidth_bytes_per_s);
  CHECK(a.speed_flops_per_s == b.speed_flops_per_s);
}

TEST_CASE("prices come from the slowest links and hosts in use, or from the user") {
  SimGridConfig config;
  config.platform = crossbar(70);  // more than 64 hosts: only some routes are inspected
  config.element_bytes = 4;
  SimGridResult found = describe_isolated(70, config);
  CHECK(found.prices == Prices{2e-6, 1 / 1.25e9, 1 / 4e9, 0});
  CHECK(found.facts.routes_looked_at == 69 + 70 + 70);
  config.overrides = {1e-5, {}, 3e-10};
  found = describe_isolated(70, config);
  CHECK(found.prices == Prices{1e-5, 1 / 1.25e9, 3e-10, 0});
  CHECK(found.facts.speed_flops_per_s == Approx(1 / 12e-10).epsilon(1e-12));
}

TEST_CASE("a note reports ranks that share a host without loopback") {
  SimGridConfig config;
  config.platform = crossbar(2);
  config.ranks_per_host = 2;
  const std::vector<std::string> notes = describe_isolated(4, config).facts.notes;
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0] + notes[1], Catch::Contains("loopback"));
  CHECK_THAT(notes[0] + notes[1], Catch::Contains("2 ranks on a host share its only core"));
  // Both ranks are on the first host.
  CHECK(describe_isolated(2, config).prices.alpha_s == 2e-6);
}

}  // namespace tutti::test_simgrid_platform
