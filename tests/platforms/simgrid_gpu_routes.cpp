// Compares the routes, links and hosts that tutti computes for clusters of GPUs with SimGrid's.
#include <catch2/catch.hpp>

#include <string>

#include "tests/platforms/gpu_platforms.hpp"

namespace tutti::test_simgrid_gpu_routes {

using namespace gpu_platforms;

TEST_CASE("routes of random clusters of GPUs equal SimGrid's, link by link") {
  Random random(20261202);
  for (int i = 0; i < 60; ++i) {
    const std::string listed = to_xml(random_gpus(random, 128));
    const std::string xml = i % 3 == 0 ? only_description(listed) : listed;
    CAPTURE(i, xml);
    PriceOverrides prices;
    if (i % 4 == 1) {
      prices = {.alpha_s = 3e-6, .beta_s_per_byte = 7e-10, .gamma_s_per_byte = 1e-10};
    }
    REQUIRE(route_differences::difference(xml, static_cast<std::uint32_t>(i), {prices}) == "");
  }
}

TEST_CASE("SimGrid loads clusters with more GPUs than it can have routes for") {
  Random random(20261204);
  GpuPlatform made = random_gpus(random, 128);
  made.nodes = 2048;
  made.unit = 32;
  made.pod = 0;
  made.gpus = made.cards = 8;
  made.inner = "switch";
  const std::string xml = to_xml(made);
  REQUIRE(xml.find("<host") == std::string::npos);
  CHECK(route_differences::difference(xml, 1, {}) == "");
}

}  // namespace tutti::test_simgrid_gpu_routes
