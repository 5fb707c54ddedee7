// Shows the faults by which SimGrid 3.32 deviates from the model, each with the smallest case. Also
// tests the workarounds in the SimGrid engine. sim/simgrid/README.md lists the faults and the
// workarounds. If a test of a fault fails with a newer SimGrid, the workaround for this fault is no
// longer needed.
#include <catch2/catch.hpp>
#include <simgrid/s4u.hpp>

#include <cstring>

#include "platforms/simgrid/simgrid_network.hpp"
#include "schedules/builder.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/isolated_process.hpp"
#include "sim/simgrid/inside/simgrid_engine.hpp"
#include "tests/sim/flow_platforms.hpp"
#include "tests/sim/judge/from_simgrid.hpp"

namespace tutti::test_simgrid_faults {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kBytes = 800'000;

std::string two_hosts_xml(const std::string& links, const std::string& there,
                          const std::string& back) {
  return platform_xml(
      "<zone id=\"z\" routing=\"Full\">\n<host id=\"h0\" speed=\"1Gf\"/>\n"
      "<host id=\"h1\" speed=\"1Gf\"/>\n" +
      links + "<route src=\"h0\" dst=\"h1\" symmetrical=\"NO\">" + there +
      "</route>\n<route src=\"h1\" dst=\"h0\" symmetrical=\"NO\">" + back + "</route>\n</zone>\n");
}

enum class Who : std::uint8_t { simgrid_itself, simgrid_engine, flow, judge, faulty_judge };

// Returns the end times, in seconds, of two messages of 800 kB in opposite directions.
std::pair<double, double> ends_s(const std::string& xml, Who who) {
  const PlatformFile file("faults", xml);
  const std::string bytes =
      run_in_child([&](ParentLink&) {
        SimGridPlatform platform({.file = file.path(), .crossbar = {}}, "hockney", {},
                                 Updates::pointed_out);
        const RankHosts hosts = platform.place({.ranks = 2}, {}, 8);
        Problem problem;
        problem.ranks = 2;
        problem.bytes = kBytes;
        ScheduleBuilder builder(problem, 1);
        builder.comm({0, 0}, 0, 1, {.blocks = {0, 1}}, {});
        builder.comm({0, 1}, 1, 0, {.blocks = {0, 1}}, {});
        const Schedule schedule = builder.finish();
        std::vector<double> ends;
        if (who == Who::simgrid_itself) {
          std::vector<s4u::CommPtr> comms;
          for (const Op& op : schedule.ops()) {
            comms.push_back(
                s4u::Comm::sendto_init(hosts.host_of_rank[op.src()], hosts.host_of_rank[op.dst()]));
            comms.back()->set_payload_size(op.bytes());
            comms.back()->start();
          }
          s4u::Engine::get_instance()->run();
          for (const s4u::CommPtr& comm : comms) {
            ends.push_back(comm->get_finish_time());
          }
        } else if (who == Who::simgrid_engine) {
          ends = SimGridEngine(hosts, 0, Updates::pointed_out).run(schedule, {}).end_s;
        } else if (who == Who::flow) {
          SimGridNetwork network(platform, hosts, "hockney");
          const FlowSetup setup{.host_of_rank = network.host_of_rank()};
          ends = FlowEngine(network, setup).run(schedule, {}).end_s;
        } else {
          JudgePlatform plain = judge_platform(platform, hosts, schedule, 0);
          plain.overlooked = who == Who::faulty_judge ? kOverlookedBySimGrid : 0;
          ends = judge(schedule, {}, plain).timeline.end_s;
        }
        return std::string(reinterpret_cast<const char*>(ends.data()), 2 * sizeof(double));
      }).bytes;
  std::pair<double, double> ends;
  std::memcpy(&ends.first, bytes.data(), sizeof(double));
  std::memcpy(&ends.second, bytes.data() + sizeof(double), sizeof(double));
  return ends;
}

Approx about(double seconds) { return Approx(seconds).epsilon(1e-9); }

// Returns a platform on which two messages share the link "full". Link "x" limits the first message
// to all but 5 millionths of the bandwidth of "full". The second message, without latency, has a
// millionth of the weight of the first and should get the rest.
std::string nearly_full_xml(const std::string& back) {
  return two_hosts_xml(
      "<link id=\"x\" bandwidth=\"999995000Bps\" latency=\"1us\"/>\n"
      "<link id=\"full\" bandwidth=\"1GBps\" latency=\"0us\"/>\n"
      "<link id=\"wide\" bandwidth=\"1GBps\" latency=\"0us\"/>\n",
      "<link_ctn id=\"x\"/><link_ctn id=\"full\"/>", back);
}

}  // namespace

TEST_CASE("SimGrid's fault: a fat pipe stops light messages at the level of the heaviest") {
  const std::string xml = two_hosts_xml(
      "<link id=\"a\" bandwidth=\"125MBps\" latency=\"10us\"/>\n"
      "<link id=\"w\" bandwidth=\"1GBps\" latency=\"0us\"/>\n"
      "<link id=\"f\" bandwidth=\"125MBps\" latency=\"0us\" sharing_policy=\"FATPIPE\"/>\n",
      "<link_ctn id=\"a\"/><link_ctn id=\"f\"/>", "<link_ctn id=\"w\"/><link_ctn id=\"f\"/>");
  // The times are computed by hand: each message has the full bandwidth of the fat pipe.
  for (const Who who : {Who::judge, Who::flow, Who::simgrid_engine}) {
    CAPTURE(static_cast<int>(who));
    CHECK(ends_s(xml, who).first == about(6.41e-3));
    CHECK(ends_s(xml, who).second == about(6.4e-3));
  }
  CHECK(ends_s(xml, Who::simgrid_itself).second == Approx(12.8e-3).epsilon(1e-3));
}

TEST_CASE("SimGrid's fault: a link with less than 1e-5 left no longer limits any message") {
  // The second message gets the whole link in the first microsecond, 5 kB/s until the first message
  // ends, and then the whole link again.
  const std::string xml = nearly_full_xml("<link_ctn id=\"full\"/><link_ctn id=\"wide\"/>");
  const double first_s = 1e-6 + kBytes / 999995000.0;
  const double second_s = first_s + (kBytes - 1e-6 * 1e9 - (first_s - 1e-6) * 5000) / 1e9;
  for (const Who who : {Who::judge, Who::flow}) {
    CAPTURE(static_cast<int>(who));
    CHECK(ends_s(xml, who).first == about(first_s));
    CHECK(ends_s(xml, who).second == about(second_s));
  }
  // In SimGrid, the link carries twice its capacity. A judge with the same fault gets SimGrid's
  // times, to 1e-9.
  const auto [its_first_s, its_second_s] = ends_s(xml, Who::simgrid_itself);
  CHECK(its_second_s == Approx(0.8e-3).epsilon(1e-3));
  CHECK(ends_s(xml, Who::faulty_judge).first == about(its_first_s));
  CHECK(ends_s(xml, Who::faulty_judge).second == about(its_second_s));
}

TEST_CASE("SimGrid's fault: a message with less than 1e-5 of its only link left ends the run") {
  const std::string xml = nearly_full_xml("<link_ctn id=\"full\"/>");
  CHECK(ends_s(xml, Who::flow).second == about(ends_s(xml, Who::judge).second));
  CHECK_THROWS_WITH(ends_s(xml, Who::simgrid_itself), Catch::Contains("Impossible"));
  CHECK_THROWS_WITH(ends_s(xml, Who::simgrid_engine), Catch::Contains("Impossible"));
  CHECK_THROWS_WITH(ends_s(xml, Who::faulty_judge), Catch::Contains("rates[i] > 0"));
}

}  // namespace tutti::test_simgrid_faults
