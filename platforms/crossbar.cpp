#include "platforms/crossbar.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

namespace {

void require(bool condition, std::string_view what, double value, std::string_view accepted) {
  if (!condition) {
    throw UserError(fmt::format("crossbar: the {} is {}; it must be {}", what, value, accepted));
  }
}

}  // namespace

std::string crossbar_xml(const Crossbar& crossbar) {
  require(crossbar.hosts >= 1, "number of hosts", crossbar.hosts, "1 or more");
  require(std::isfinite(crossbar.latency_s) && crossbar.latency_s >= 0, "latency in seconds",
          crossbar.latency_s, "finite and not negative");
  require(std::isfinite(crossbar.bandwidth_bytes_per_s) && crossbar.bandwidth_bytes_per_s > 0,
          "bandwidth in bytes/s", crossbar.bandwidth_bytes_per_s, "finite and above 0");
  require(std::isfinite(crossbar.speed_flops_per_s) && crossbar.speed_flops_per_s > 0,
          "speed in flops/s", crossbar.speed_flops_per_s, "finite and above 0");
  // fmt prints the shortest number that is read back as the same double.
  return fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <cluster id=\"crossbar\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\"\n"
      "           speed=\"{}f\" bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n"
      "</platform>\n",
      crossbar.hosts - 1, crossbar.speed_flops_per_s, crossbar.bandwidth_bytes_per_s,
      crossbar.latency_s / 2);
}

}}  // namespace tutti::platforms
