// Compares platforms whose file lists the links of each route with SimGrid.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/torus.hpp"
#include "tests/platforms/route_differences.hpp"

namespace tutti::test_simgrid_explicit_routes {

using namespace route_differences;

namespace {

std::uint32_t seed_of_platforms() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)) : 20261128;
}

// Writes the elements of a zone with random hosts, links and routes.
class RandomZone {
 public:
  RandomZone(Random& random, bool floyd) : random_(random), floyd_(floyd) {}

  std::string write() {
    points();
    const std::uint32_t links = random_(1, 8);
    for (std::uint32_t i = 0; i < links; ++i) {
      link(fmt::format("l{}", random_(0, 1) == 0 ? i : 90 - i));
    }
    std::vector<std::string> routes;
    for (std::uint32_t a = 0; a < points_.size(); ++a) {
      connected_to_ = a == 0 ? 0 : random_(0, a - 1);
      for (std::uint32_t b = 0; b <= a; ++b) {
        add_routes(a, b, routes);
      }
    }
    for (std::size_t i = routes.size(); i > 1; --i) {
      std::swap(routes[i - 1], routes[random_(0, static_cast<std::uint32_t>(i) - 1)]);
    }
    return in_platform(fmt::format("<zone id=\"z\" routing=\"{}\">\n{}{}</zone>",
                                   floyd_ ? "Floyd" : "Full", text_, fmt::join(routes, "")));
  }

 private:
  void points() {
    const std::uint32_t hosts = random_(1, 8);
    const bool alike = random_(0, 1) == 0;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      if (random_(0, 5) == 0) {
        points_.push_back(fmt::format("r{}", host));
        text_ += fmt::format("<router id=\"{}\"/>\n", points_.back());
      }
      points_.push_back(fmt::format("h{}", (5 * host) % 11));  // not sorted by name
      text_ += fmt::format("<host id=\"{}\" speed=\"{}Gf\"{}/>\n", points_.back(),
                           alike ? 2 : random_(1, 9),
                           alike ? "" : fmt::format(" core=\"{}\"", random_(1, 4)));
    }
  }

  void link(const std::string& id) {
    const std::string policy =
        random_.one_of("", "SHARED", "FATPIPE", "SPLITDUPLEX", "SPLITDUPLEX");
    text_ += fmt::format(R"(<link id="{}" bandwidth="{}.{}{}" latency="{}{}"{}/>)", id,
                         random_(1, 99), random_(0, 99), random_.one_of("GBps", "Mbps", "MiBps"),
                         random_(0, 99), random_.one_of("us", "ns", "ms"),
                         policy.empty() ? "" : fmt::format(R"( sharing_policy="{}")", policy)) +
             '\n';
    if (policy != "SPLITDUPLEX") {
      crossings_.push_back(fmt::format("<link_ctn id=\"{}\"/>", id));
      return;
    }
    for (const char* direction : {"UP", "DOWN"}) {
      crossings_.push_back(fmt::format(R"(<link_ctn id="{}" direction="{}"/>)", id, direction));
      crossings_.push_back(fmt::format(R"(<link_ctn id="{}_{}"/>)", id, direction));
    }
  }

  // Adds routes between two points. If none is needed, adds one by chance.
  void add_routes(std::uint32_t first, std::uint32_t second, std::vector<std::string>& routes) {
    const std::string& a = points_[first];
    const std::string& b = points_[second];
    const bool needed = floyd_ ? second == connected_to_ : a.front() == 'h' && b.front() == 'h';
    if (a == b || !needed) {
      if (random_(0, 2) == 0) {
        routes.push_back(route(a, b, a == b && floyd_ ? "NO" : random_.one_of("", "YES", "NO")));
      }
    } else if (random_(0, 1) == 0) {
      routes.push_back(route(a, b, "NO"));
      routes.push_back(route(b, a, "NO"));
    } else {
      routes.push_back(route(a, b, random_.one_of("", "YES")));
    }
  }

  std::string route(const std::string& from, const std::string& to,
                    const std::string& symmetrical) {
    std::string links;
    for (std::uint32_t count = random_(1, 5); count > 0; --count) {
      links += crossings_[random_(0, static_cast<std::uint32_t>(crossings_.size()) - 1)];
    }
    return fmt::format("<route src=\"{}\" dst=\"{}\"{}>{}</route>\n", from, to,
                       symmetrical.empty() ? "" : fmt::format(" symmetrical=\"{}\"", symmetrical),
                       links);
  }

  Random& random_;
  bool floyd_;
  std::uint32_t connected_to_ = 0;  // a point with a lower number, to which a point has a route
  std::string text_;
  std::vector<std::string> points_;     // names of hosts and routers
  std::vector<std::string> crossings_;  // ways to cross a link
};

}  // namespace

TEST_CASE("random platforms with listed routes equal SimGrid's, link by link") {
  const std::uint32_t seed = seed_of_platforms();
  std::printf("seed %u; TUTTI_TEST_SEED sets another\n", seed);
  Random random(seed);
  for (int i = 0; i < 160; ++i) {
    const std::string xml = RandomZone(random, i % 2 == 1).write();
    ComparisonSetup compared{.places = true};
    if (i / 2 % 4 == 1) {
      compared.prices = {.alpha_s = 3e-6, .beta_s_per_byte = 7e-10, .gamma_s_per_byte = 1e-10};
    } else if (i / 2 % 4 == 2) {
      compared.changes.links = {{.which = "l*", .bandwidth = 0.5, .latency = 3, .from = "test"}};
      compared.changes.hosts = {{.which = "0", .speed = 0.25, .from = "test"}};
    } else if (i / 2 % 4 == 3) {
      compared.changes.links = {{.which = "", .bandwidth = 2, .latency = 1, .from = "test"}};
      compared.changes.unshared = true;
    }
    CAPTURE(i, seed, xml);
    const std::string refusal = message_of(
        [&] { REQUIRE(difference(xml, static_cast<std::uint32_t>(i), compared) == ""); });
    // difference() asks tutti first, and throws tutti's error.
    if (!refusal.empty()) {
      CHECK(refusal.find("cannot be scaled") != std::string::npos);
    }
  }
}

TEST_CASE("Floyd zones without all routes are left to SimGrid") {
  const auto read = [](const std::string& routes) {
    const std::string zone =
        R"(<zone id="z" routing="Floyd"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>)"
        R"(<router id="r"/><link id="l" bandwidth="1GBps" latency="1us"/>)";
    return read_cluster_text(in_platform(zone + routes + "</zone>"), "p.xml") != nullptr;
  };
  const auto route = [](const char* from, const char* to, const char* more = "") {
    return fmt::format(R"(<route src="{}" dst="{}"{}><link_ctn id="l"/></route>)", from, to, more);
  };
  CHECK(read(route("a", "r") + route("r", "b")));
  CHECK(read(route("a", "r") + route("r", "b") + route("a", "a", R"( symmetrical="NO")")));
  CHECK_FALSE(read(route("a", "r")));
  CHECK_FALSE(read(route("a", "r") + route("r", "b", R"( symmetrical="NO")")));
  CHECK_FALSE(read(route("a", "r") + route("r", "b") + route("b", "r")));
  CHECK_FALSE(read(route("a", "b") + route("a", "a")));
}

TEST_CASE("meshes equal SimGrid's, link by link") {
  for (const std::vector<std::uint32_t>& dims :
       {std::vector<std::uint32_t>{2}, {7}, {5, 5}, {2, 3, 4}, {2, 2, 2, 2}}) {
    CAPTURE(dims);
    Torus mesh;
    mesh.dims = dims;
    mesh.node.cores = static_cast<std::uint32_t>(dims.size());
    CHECK(difference(mesh_to_xml(mesh), 1, {.places = true}) == "");
  }
}

TEST_CASE("zones that do not quite list all routes are left to SimGrid") {
  const std::string xml = in_platform(
      R"(<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="2Gf" core="2"/>)"
      R"(<router id="r"/><link id="l" bandwidth="1GBps" latency="1us"/>)"
      R"(<link id="s" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>)"
      R"(<route src="a" dst="b"><link_ctn id="l"/><link_ctn id="s" direction="UP"/></route></zone>)");
  const auto read_with = [&xml](const std::string& from, const std::string& to) {
    std::string changed = xml;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return read_cluster_text(changed.replace(at, from.size(), to), "p.xml") != nullptr;
  };
  CHECK(read_with("zone", "zone"));
  CHECK(read_with("Full", "Floyd"));
  CHECK(read_with("<router id=\"r\"/>", ""));
  CHECK(read_with("<link_ctn id=\"s\" direction=\"UP\"/>", "<link_ctn id=\"s_UP\"/>"));
  const std::string end = "</zone>";
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"Full\"", "\"Vivaldi\""},
           {"core=\"2\"", "core=\"\""},
           {"\"SPLITDUPLEX\"", "\"\""},
           {"direction=\"UP\"", "direction=\"\""},
           {"dst=\"b\"", "dst=\"b\" symmetrical=\"\""},
           {"\"Full\"", "\"Dijkstra\""},
           {"<zone id=\"z\" routing=\"Full\">", "<zone id=\"a\" routing=\"Full\">"},
           {"<zone id", "<config><prop id=\"network/optim\" value=\"Full\"/></config><zone id"},
           {end, "</zone><zone id=\"y\" routing=\"Full\"><host id=\"c\" speed=\"1Gf\"/></zone>"},
           {end, "<route src=\"b\" dst=\"a\"><link_ctn id=\"l\"/></route></zone>"},
           {end, "<route src=\"a\" dst=\"none\"><link_ctn id=\"l\"/></route></zone>"},
           {end, "<route src=\"a\" dst=\"r\"/></zone>"},
           {end,
            "<route src=\"a\" dst=\"r\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"
            "<route src=\"r\" dst=\"a\"><link_ctn id=\"l\"/></route></zone>"},
           {end, "<bypassRoute src=\"b\" dst=\"a\"><link_ctn id=\"l\"/></bypassRoute></zone>"},
           {end, "<host id=\"c\" speed=\"1Gf\"/></zone>"},
           {"<router id=\"r\"/>", "<router id=\"r\" coordinates=\"1 2 3\"/>"},
           {"<router id=\"r\"/>", "<router id=\"a\"/>"},
           {"<router id=\"r\"/>", "<host id=\"c\" speed=\"1Gf\"/>"},
           {"<router id=\"r\"/>", "text"},
           {"speed=\"1Gf\"", "speed=\"1Gf,2Gf\""},
           {"speed=\"1Gf\"", "speed=\"1\""},
           {"speed=\"1Gf\"", "speed=\"1Gf\" pstate=\"0\""},
           {"core=\"2\"", "core=\"0\""},
           {"core=\"2\"/>", "core=\"2\"><prop id=\"p\" value=\"v\"/></host>"},
           {"id=\"s\"", "id=\"l\""},
           {"id=\"l\"", "id=\"s_UP\""},
           {"id=\"l\"", "id=\"__loopback__\""},
           {"latency=\"1us\"", "latency=\"1us\" state_file=\"f\""},
           {"latency=\"1us\"", "latency=\"1us\" sharing_policy=\"WIFI\""},
           {"latency=\"1us\"", "latency=\"1us\" sharing_policy=\"FULLDUPLEX\""},
           {"latency=\"1us\"", "latency=\"1\""},
           {"bandwidth=\"1GBps\"", "bandwidth=\"1GBps,2GBps\""},
           {"<link_ctn id=\"s\" direction=\"UP\"/>", "<link_ctn id=\"s\"/>"},
           {"<link_ctn id=\"s\" direction=\"UP\"/>", "<link_ctn id=\"s\" direction=\"up\"/>"},
           {"<link_ctn id=\"l\"/>", "<link_ctn id=\"l\" direction=\"UP\"/>"},
           {"<link_ctn id=\"l\"/>", "<link_ctn id=\"none\"/>"},
           {"<link_ctn id=\"l\"/>", "<other id=\"l\"/>"},
           {"dst=\"b\">", "dst=\"b\" symmetrical=\"NO\">"},
           {"dst=\"b\">", "dst=\"b\" symmetrical=\"perhaps\">"}}) {
    CAPTURE(from, to);
    CHECK_FALSE(read_with(from, to));
  }
}

}  // namespace tutti::test_simgrid_explicit_routes
