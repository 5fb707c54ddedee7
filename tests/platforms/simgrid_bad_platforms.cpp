// A platform that cannot be used is one line that names it, whatever SimGrid makes of it.
#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "platforms/xml_check.hpp"
#include "schedules/registry.hpp"
#include "sim/simgrid/isolated_run.hpp"

using namespace tutti;

namespace {

using Catch::Matchers::Contains;

// A file in a folder that goes when the test ends.
class TempFile {
 public:
  explicit TempFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tutti-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::ofstream(path(), std::ios::binary) << text;
  }
  ~TempFile() { std::filesystem::remove_all(folder_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  [[nodiscard]] std::string path() const { return folder_ / "bad.xml"; }

 private:
  std::filesystem::path folder_;
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
  Problem problem;
  problem.ranks = ranks;
  problem.bytes = 8000;
  try {
    const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"), problem);
    (void)simulate_isolated(schedule, config, {});
  } catch (const UserError& error) {
    return error.what();
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

TEST_CASE("a platform file that is not one is refused in one line") {
  CHECK_THAT(error_of("/nowhere/at/all.xml", 3, 1), Contains("/nowhere/at/all.xml: no such"));
  CHECK_THAT(error_of("/", 3, 1), Contains("is a directory"));
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
             Contains("SimGrid cannot load it"));
  CHECK_THAT(error_in(cluster("speed=\"1Xf\" bw=\"1GBps\" lat=\"1us\"")), Contains("unit"));
  std::string old = cluster(kGood);
  old.replace(old.find("4.1"), 3, "3.0");
  CHECK_THAT(error_in(old), Contains("TOO OLD"));
  // SimGrid aborts: four hosts are given, nine groups need more.
  CHECK_THAT(error_in(cluster(kGood + " topology=\"DRAGONFLY\" topo_parameters=\"9,1;1,1;1,1;2\"")),
             Contains("Insufficient number of radicals"));
}

TEST_CASE("what SimGrid would load and get wrong is refused, with the line") {
  CHECK_THAT(error_in(cluster("speed=\"0Gf\" bw=\"1GBps\" lat=\"1us\"")),
             Contains("bad.xml:4: ") && Contains("speed=\"0Gf\""));
  CHECK_THAT(error_in(cluster("speed=\"1Gf\" bw=\"-1GBps\" lat=\"1us\"")),
             Contains("bw=\"-1GBps\""));
  CHECK_THAT(error_in(cluster("speed=\"1Gf\" bw=\"1GBps\" lat=\"-1us\"")), Contains("latency"));
  CHECK_THAT(error_in(cluster("speed=\"1Gf,0f\" bw=\"1GBps\" lat=\"1us\"")), Contains("above 0"));
  CHECK_THAT(error_in(cluster(kGood + " sharing_policy=\"FATPIPE\"")), Contains("FATPIPE"));
  CHECK_THAT(error_in(cluster(kGood + " bb_lat=\"1us\"")), Contains("bb_lat without bb_bw"));
}

TEST_CASE("a FATPIPE backbone is what it says, and accepted") {
  const TempFile file(
      cluster(kGood + " bb_bw=\"1GBps\" bb_lat=\"0us\" bb_sharing_policy=\"FATPIPE\""));
  CHECK(error_of(file.path(), 4, 1) == "no error");
}

TEST_CASE("hosts without a route between them are named") {
  // By empty route, by exception, by segmentation fault: SimGrid has three ways to have none.
  for (const char* routing : {"Full", "Floyd", "Dijkstra"}) {
    INFO(routing);
    CHECK_THAT(error_in(three_hosts(routing)), Contains("route from host b to host c"));
  }
}

TEST_CASE("ranks that do not fit, or have no way to their neighbour on the same host") {
  CHECK_THAT(error_in(cluster(kGood), 9), Contains("--ranks-per-host 3"));
  CHECK_THAT(error_in(cluster(kGood), 9, 2), Contains("--ranks-per-host 3"));
  CHECK_THAT(error_in(cluster(kGood + " topology=\"TORUS\" topo_parameters=\"2,2\""), 8, 2),
             Contains("loopback_bw"));
}

TEST_CASE("a price that a platform cannot take") {
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
