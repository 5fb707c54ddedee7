// Tests that an unusable platform gives an error of one line that names the file, even if SimGrid
// would abort or accept the platform.
#include <catch2/catch.hpp>

#include <fstream>
#include <string>

#include "base/field_names.hpp"
#include "platforms/xml_check.hpp"
#include "schedules/registry.hpp"
#include "sim/simgrid/isolated_run.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_simgrid_bad_platforms {

namespace {

using Catch::Matchers::Contains;

struct TempFile {
  ScratchFolder folder;

  explicit TempFile(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
  [[nodiscard]] std::string path() const { return folder.path / "bad.xml"; }
};

std::string platform(const std::string& body) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         body + "\n</platform>\n";
}

std::string cluster(const std::string& attributes) {
  return platform("<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-3\" " + attributes +
                  "/>");
}

const std::string kGood = "speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"";

std::string error_of(const std::string& file, std::uint32_t ranks, std::uint32_t ranks_per_host) {
  SimGridConfig config;
  config.platform.file = file;
  config.ranks_per_host = ranks_per_host;
  try {
    const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"),
                                            problem_of(Collective::allreduce, ranks, 1000));
    (void)simulate_isolated(schedule, config, {});
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "no error";
}

std::string error_in(const std::string& text, std::uint32_t ranks = 3,
                     std::uint32_t ranks_per_host = 1) {
  const TempFile file(text);
  std::string message = error_of(file.path(), ranks, ranks_per_host);
  CHECK_THAT(message, Contains(file.path()));
  CHECK(message.find('\n') == std::string::npos);
  return message;
}

std::string three_hosts(const std::string& routing) {
  return platform(
      "<zone id=\"z\" routing=\"" + routing +
      "\"><host id=\"b\" speed=\"1Gf\"/><host id=\"a\" speed=\"1Gf\"/>"
      "<host id=\"c\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" "
      "latency=\"1us\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>");
}

}  // namespace

TEST_CASE("a file that is not a platform is refused in one line") {
  CHECK_THAT(error_of("/nowhere/at/all.xml", 3, 1),
             Contains("'/nowhere/at/all.xml' cannot be read: No such file or directory"));
  CHECK_THAT(error_of("/", 3, 1), Contains("is a folder"));
  CHECK_THAT(error_in(""), Contains("empty"));
  CHECK_THAT(error_in(" \n\n"), Contains("empty"));
  CHECK_THAT(error_in("no xml at all"), Contains("well-formed"));
  CHECK_THAT(error_in(cluster(kGood).substr(0, 180)), Contains("bad.xml:4: not well-formed"));
  CHECK_THAT(error_in("<a/>"), Contains("root element is <a>"));
  CHECK_THAT(error_in(platform("")), Contains("no hosts"));
  CHECK_THAT(error_in(platform("<zone id=\"z\" routing=\"Full\"/>")), Contains("no hosts"));
}

TEST_CASE("a platform that SimGrid refuses is refused in one line") {
  CHECK_THAT(error_in(platform("<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                               "<bogus/></zone>")),
             Contains("SimGrid cannot load this platform"));
  CHECK_THAT(error_in(cluster("speed=\"1Xf\" bw=\"1GBps\" lat=\"1us\"")), Contains("unit"));
  std::string old = cluster(kGood);
  old.replace(old.find("4.1"), 3, "3.0");
  CHECK_THAT(error_in(old), Contains("TOO OLD"));
  // SimGrid aborts, because nine groups need more than four hosts.
  CHECK_THAT(error_in(cluster(kGood + " topology=\"DRAGONFLY\" topo_parameters=\"9,1;1,1;1,1;2\"")),
             Contains("Insufficient number of radicals"));
}

TEST_CASE("platforms that SimGrid would load wrongly are refused, with the line") {
  CHECK_THAT(error_in(cluster("speed=\"0Gf\" bw=\"1GBps\" lat=\"1us\"")),
             Contains("bad.xml:4: ") && Contains("speed=\"0Gf\""));
  CHECK_THAT(error_in(cluster("speed=\"1Gf\" bw=\"-1GBps\" lat=\"1us\"")),
             Contains("bw=\"-1GBps\""));
  CHECK_THAT(error_in(cluster("speed=\"1Gf\" bw=\"1GBps\" lat=\"-1us\"")), Contains("latency"));
  CHECK_THAT(error_in(cluster("speed=\"0f,1Gf\" bw=\"1GBps\" lat=\"1us\"")), Contains("above 0"));
  CHECK_THAT(error_in(cluster(kGood + " sharing_policy=\"FATPIPE\"")), Contains("FATPIPE"));
  CHECK_THAT(error_in(cluster(kGood + " bb_lat=\"1us\"")), Contains("bb_lat without bb_bw"));
  CHECK_THAT(error_in(cluster(kGood + " bb_bw=\"\" bb_lat=\"1us\"")),
             Contains("bb_lat without bb_bw"));
}

TEST_CASE("only the speed of the initial power state must be above 0") {
  for (const char* speed : {"speed=\"1Gf,0f\"", "speed=\"0f,1Gf\" pstate=\"1\""}) {
    const TempFile file(platform(std::string("<zone id=\"z\" routing=\"Full\"><host id=\"a\" ") +
                                 speed + "/></zone>"));
    CHECK(error_of(file.path(), 1, 1) == "no error");
  }
}

TEST_CASE("infinite and overflowing values are refused") {
  for (const char* bad : {"bw=\"1e-10bps\"", "bw=\"1e-300Bps\"", "bw=\"1e-310Bps\""}) {
    CHECK_THAT(error_in(cluster(std::string("speed=\"1Gf\" lat=\"1us\" ") + bad)),
               Contains(bad) && Contains("1e-09 to 1e+100"));
  }
  for (const char* number : {"inf", "infinity", "1e308", "1e101", "nan", "1e999"}) {
    for (const auto& [attribute, unit] :
         {std::pair{"bw", "GBps"}, std::pair{"speed", "Gf"}, std::pair{"lat", "us"},
          std::pair{"loopback_bw", "Bps"}, std::pair{"bb_lat", "s"}}) {
      const std::string bad = std::string(attribute) + "=\"" + number + unit + "\"";
      std::string rest = kGood;
      if (const std::size_t at = rest.find(std::string(attribute) + "="); at != std::string::npos) {
        rest.erase(at, rest.find('"', rest.find('"', at) + 1) + 1 - at);
      }
      CHECK_THAT(error_in(cluster(rest + " " + bad)), Contains("bad.xml:4: ") && Contains(bad));
    }
  }
}

namespace {

std::string with_setting(const std::string& name, const std::string& value) {
  return platform("<config><prop id=\"" + name + "\" value=\"" + value +
                  "\"/></config>\n<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-3\" " +
                  kGood + "/>");
}

}  // namespace

TEST_CASE("settings that cannot change a time are ignored, and SimGrid does not get them") {
  for (const char* name : {"tracing",
                           "tracing/filename",
                           "tracing/smpi",
                           "path",
                           "debug/breakpoint",
                           "verbose-exit",
                           "debug/verbose-exit",
                           "model-check/replay",
                           "smpi/replay",
                           "smpi/hostfile",
                           "smpi/comp-adjustment-file",
                           "smpi/host-speed",
                           "smpi/running_power",
                           "smpi/os",
                           "contexts/nthreads",
                           "contexts/stack_size",
                           "cmonkey/time",
                           "ns3/seed",
                           "network/coordinates",
                           "network/sender_gap"}) {
    CAPTURE(name);
    const TempFile file(with_setting(name, "yes"));
    const CheckedPlatform checked = check_platform_file(file.path());
    CHECK(checked.xml.find("config") == std::string::npos);
    CHECK(checked.unmodelled == "");
    REQUIRE(checked.notes.size() == 1);
    CHECK_THAT(checked.notes[0], Contains("ignored") && Contains(name));
    CHECK(error_of(file.path(), 4, 1) == "no error");
  }
}

TEST_CASE("settings that depend on the network model are used where they matter") {
  const auto kept = [](const std::string& name, const std::string& value,
                       const std::string& model) {
    const TempFile file(with_setting(name, value));
    return !check_platform_file(file.path(), model).unmodelled.empty();
  };
  for (const char* name : {"network/TCP-gamma", "network/TCP_gamma", "TCP_gamma"}) {
    CHECK_FALSE(kept(name, "4194304", "hockney"));
    CHECK(kept(name, "4194304", "lv08"));
  }
  CHECK_FALSE(kept("smpi/bw_factor", "0:0.8", "lv08"));
  CHECK(kept("smpi/bw_factor", "0:0.8", "smpi"));
  CHECK(kept("network/bandwidth-factor", "65472:0.9;0:0.8", "smpi"));
  CHECK_THAT(error_in(with_setting("network/bandwidth-factor", "65472:0.9;0:0.8")),
             Contains("--network-model smpi"));
  CHECK_FALSE(kept("maxmin/concurrency-limit", "-1", "hockney"));
  CHECK(kept("maxmin/concurrency_limit", "20", "hockney"));
  for (const char* model : {"hockney", "lv08", "smpi", "ib"}) {
    CHECK(kept("network/bandwidth_factor", "0.9", model));
    CHECK_FALSE(kept("network/model", "LV08", model));
    CHECK_FALSE(kept("workstation/model", "compound", model));
  }
  // SimGrid gets the name that its present version has.
  const TempFile file(with_setting("latency_factor", "2"));
  CHECK_THAT(check_platform_file(file.path()).xml, Contains("\"network/latency-factor\""));
  CHECK(error_of(file.path(), 4, 1) == "no error");
}

TEST_CASE("a file's network model that is not used is named") {
  const TempFile file(with_setting("network/model", "SMPI"));
  const std::vector<std::string> notes = check_platform_file(file.path()).notes;
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("network model SMPI, but hockney is used") && Contains(" smpi "));
  CHECK(check_platform_file(file.path(), "smpi").notes.empty());
}

TEST_CASE("settings that are not SimGrid's are refused by name") {
  for (const char* name :
       {"Network/model", "network/model ", "network/bandwith-factor", "help", ""}) {
    CHECK_THAT(error_in(with_setting(name, "yes")),
               Contains("bad.xml:4: <config> sets '" + std::string(name) + "', which is not"));
  }
  CHECK_THAT(error_in(with_setting("network/bandwith-factor", "1")),
             Contains("did you mean 'network/bandwidth-factor'?"));
}

TEST_CASE("an allowed setting accepts only values of its type") {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"network/bandwidth-factor", "0"},
           {"network/bandwidth-factor", "-1"},
           {"network/bandwidth-factor", "inf"},
           {"network/bandwidth-factor", "1e101"},
           {"network/bandwidth-factor", ""},
           {"network/latency-factor", "-1"},
           {"network/crosstraffic", "0 tracing:yes tracing/filename:precious.txt"},
           {"network/crosstraffic", "0,tracing:yes"},
           {"network/crosstraffic", "0\ttracing:yes"},
           {"network/model", "ns-3"},
           {"network/model", "help"},
           {"network/optim", "Fast"},
           {"network/solver", "bmf"},
           {"cpu/model", "Cas02"},
           {"plugin", "host_dvfs"},
           {"plugin", "cmonkey"},
           {"host/model", "ptask_L07"},
           {"maxmin/concurrency-limit", "0"},
           {"smpi/bw-factor", "0:0"},
           {"smpi/bw-factor", "0:1;100:-1"},
           {"smpi/bw-factor", "0:1;"},
           {"smpi/lat-factor", "0"},
           {"smpi/IB-penalty-factors", "0.9;0.9;0"},
           {"smpi/IB-penalty-factors", "0.9;0.9"},
       }) {
    INFO(name << " = " << value);
    CHECK_THAT(
        error_in(with_setting(name, value)),
        Contains("<config> sets '" + std::string(name) + "' to '") && Contains("; expected "));
  }
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"network/bandwidth-factor", "0.92"},
           {"network/latency-factor", "10.4"},
           {"network/weight-S", "8775"},
           {"network/TCP-gamma", "4194304"},
           {"network/crosstraffic", "yes"},
           {"network/loopback-bw", "498000000"},
           {"network/loopback-lat", "0.000015"},
           {"network/model", "SMPI"},
           {"network/optim", "Full"},
           {"network/maxmin-selective-update", "yes"},
           {"cpu/optim", "Lazy"},
           {"cpu/maxmin-selective-update", "on"},
           {"host/model", "compound"},
           {"surf/precision", "1e-9"},
           {"maxmin/precision", "1e-6"},
           {"maxmin/concurrency-limit", "-1"},
           {"smpi/bw-factor", "65472:0.940694;0:0.812084"},
           {"smpi/lat-factor", "65472:11.6436;0:2.01467"},
           {"smpi/IB-penalty-factors", "0.965;0.925;1.35"},
           {"smpi/async-small-thresh", "65536"},
           {"smpi/send-is-detached-thresh", "65536"},
           {"smpi/simulate-computation", "no"},
       }) {
    INFO(name << " = " << value);
    const TempFile file(with_setting(name, value));
    CHECK(error_of(file.path(), 4, 1) == "no error");
  }
}

TEST_CASE("XML that readers understand differently is refused") {
  const std::string tracing = "<config><prop id=\"tracing\" value=\"yes\"/></config>";
  const std::string good =
      "<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-3\" " + kGood + "/>";
  CHECK_THAT(error_in(platform("<config><prop id=\"network/crosstraffic\" id=\"tracing\" "
                               "value=\"yes\"/></config>" +
                               good)),
             Contains("<prop> has id twice"));
  {
    const TempFile file(
        platform("<config><prop id=\"tr&#97;cing\" value=\"yes\"/></config>" + good));
    CHECK(check_platform_file(file.path()).xml.find("cing") == std::string::npos);
  }
  CHECK_THAT(error_in(platform("<include file=\"other.xml\"/>" + good)), Contains("<include>"));
  // Settings in comments and processing instructions have no effect, and tutti does not pass them
  // on to SimGrid.
  for (const std::string& hidden :
       {"<!-- " + tracing + " -->", "<?x " + tracing + "?>", "<!-- -- > " + tracing + " -->"}) {
    INFO(hidden);
    const TempFile file(platform(hidden + good));
    CHECK(error_of(file.path(), 4, 1) == "no error");
    CHECK(check_platform_file(file.path()).xml.find("tracing") == std::string::npos);
  }
}

TEST_CASE("a profile that is not a regular file is refused") {
  for (const char* name : {"/dev/zero", "/dev/stdin", "."}) {
    CHECK_THAT(error_in(platform("<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\" "
                                 "availability_file=\"" +
                                 std::string(name) + "\"/></zone>")),
               Contains("which is not a regular file"));
  }
}

TEST_CASE("WiFi platforms are refused, because SimGrid needs a program for them") {
  const auto wifi = [](const std::string& routing, const std::string& way) {
    return platform("<zone id=\"z\" routing=\"" + routing +
                    "\"><prop id=\"access_point\" value=\"r\"/><host id=\"a\" speed=\"1Gf\"/>"
                    "<host id=\"b\" speed=\"1Gf\"/><router id=\"r\"/>\n<link id=\"w\" "
                    "bandwidth=\"54Mbps\" latency=\"0ms\" sharing_policy=\"WIFI\"/>" +
                    way + "</zone>");
  };
  CHECK_THAT(error_in(wifi("Wifi", ""), 2), Contains("bad.xml:4: a WiFi <zone>"));
  CHECK_THAT(error_in(wifi("Full", "<route src=\"a\" dst=\"b\"><link_ctn id=\"w\"/></route>"), 2),
             Contains("bad.xml:5: a WiFi <link>"));
}

TEST_CASE("SimGrid receives the same platform, with the same line numbers") {
  const std::string text =
      "<?xml version='1.0'?>\n<!-- one\n two -->\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n\n  <zone id='a\"&lt;&amp;b' routing=\"Full\">\n"
      "    <host id=\"h\"\n      speed=\"1Gf\"/> <!-- here -->\n"
      "    <host id=\"i\" speed=\"1Gf\"></host>\n  </zone>\n"
      "  <trace id=\"t\" periodicity=\"1\">\n0 1\n1 &lt; 2\n</trace>\n</platform>\n";
  const TempFile file(text);
  CHECK(check_platform_file(file.path()).xml ==
        "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
        "\n\n\n\n<platform version=\"4.1\">\n\n<zone id=\"a&quot;&lt;&amp;b\" routing=\"Full\">\n"
        "<host id=\"h\" speed=\"1Gf\"/>\n\n<host id=\"i\" speed=\"1Gf\"/></zone>\n\n"
        "<trace id=\"t\" periodicity=\"1\">\n0 1\n1 &lt; 2\n</trace></platform>\n");
  // SimGrid's message contains the name of the file and the line.
  CHECK_THAT(error_in(cluster("speed=\"1Xf\" bw=\"1GBps\" lat=\"1us\"")), Contains("bad.xml:4"));
}

TEST_CASE("a FATPIPE backbone is accepted") {
  const TempFile file(
      cluster(kGood + " bb_bw=\"1GBps\" bb_lat=\"0us\" bb_sharing_policy=\"FATPIPE\""));
  CHECK(error_of(file.path(), 4, 1) == "no error");
}

TEST_CASE("hosts without a route between them are named") {
  // SimGrid reports a missing route in three ways: an empty route, an exception, or a segmentation
  // fault.
  for (const char* routing : {"Full", "Floyd", "Dijkstra"}) {
    INFO(routing);
    CHECK_THAT(error_in(three_hosts(routing)), Contains("route from host b to host c"));
  }
}

TEST_CASE("ranks that do not fit, or cannot reach a rank on the same host, are refused") {
  CHECK_THAT(error_in(cluster(kGood), 9), Contains("--ranks-per-host 3"));
  CHECK_THAT(error_in(cluster(kGood), 9, 2), Contains("--ranks-per-host 3"));
  CHECK_THAT(error_in(cluster(kGood + " topology=\"TORUS\" topo_parameters=\"2,2\""), 8, 2),
             Contains("loopback_bw"));
}

TEST_CASE("prices that a platform cannot take are refused") {
  const TempFile file(cluster("speed=\"1Gf\" bw=\"1GBps\" lat=\"0us\""));
  SimGridConfig config;
  config.platform.file = file.path();
  config.overrides.alpha_s = 1e-6;
  CHECK_THROWS_WITH(describe_isolated(4, config), Contains("cannot be scaled"));
  config.overrides.alpha_s = -1;
  CHECK_THROWS_WITH(describe_isolated(4, config), Contains("not negative"));
  config.overrides.alpha_s.reset();
  config.network_model = "hockey";
  CHECK_THROWS_WITH(describe_isolated(4, config), Contains("hockney, lv08, smpi, ib"));
}

}  // namespace tutti::test_simgrid_bad_platforms
