#include "platforms/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {
namespace {

constexpr const char* kTorus = "torus";

// Returns the number of hosts, capped at one more than the largest allowed platform.
std::uint64_t hosts_of(const std::vector<std::uint32_t>& dims) {
  std::uint64_t hosts = 1;
  for (const std::uint32_t dim : dims) {
    hosts = std::min(hosts * dim, kMaxPlatformHosts + 1);
  }
  return hosts;
}

}  // namespace

void check_sides(std::string_view kind, const std::vector<std::uint32_t>& dims) {
  if (dims.empty()) {
    throw UserError(fmt::format(
        "{}: the sides are missing; give the number of hosts per dimension, such as 8,8,8", kind));
  }
  for (const std::uint32_t dim : dims) {
    // With a side of 1, SimGrid would connect a host of a torus to itself, and use the same link
    // name twice.
    if (dim < 2) {
      throw UserError(
          fmt::format("{}: sides {} contain {}; each side must be 2 or more; leave out sides of 1",
                      kind, fmt::join(dims, ","), dim));
    }
  }
  if (hosts_of(dims) > kMaxPlatformHosts) {
    throw UserError(fmt::format("{}: sides {} make more than {} hosts", kind, fmt::join(dims, ","),
                                kMaxPlatformHosts));
  }
}

std::vector<std::uint32_t> torus_sides(std::uint64_t hosts, std::uint32_t dimensions,
                                       std::string_view kind) {
  check_hosts(kind, hosts);
  if (hosts == 1 || dimensions == 0) {
    throw UserError(fmt::format(
        "{0}: hosts {1}, dimensions {2}; a {0} must have at least 2 hosts and 1 dimension", kind,
        hosts, dimensions));
  }
  // Each side is the largest divisor of the remaining hosts that is not above the side of a cube of
  // these hosts.
  std::vector<std::uint32_t> sides;
  std::uint64_t rest = hosts;
  for (std::uint32_t left = dimensions; left > 1; --left) {
    const double even_share = std::pow(static_cast<double>(rest), 1.0 / left);
    auto side = static_cast<std::uint64_t>(even_share + 1e-9);
    while (rest % side != 0) {
      --side;
    }
    sides.push_back(static_cast<std::uint32_t>(side));
    rest /= side;
  }
  sides.push_back(static_cast<std::uint32_t>(rest));
  std::erase(sides, 1U);
  std::ranges::sort(sides, std::greater<>());
  return sides;
}

std::uint64_t longest_route_links(const Torus& torus) {
  return std::accumulate(torus.dims.begin(), torus.dims.end(), std::uint64_t{0},
                         [](std::uint64_t links, std::uint32_t dim) { return links + dim / 2; });
}

std::string to_xml(const Torus& torus) {
  check_sides(kTorus, torus.dims);
  check_link(kTorus, torus.link);
  const std::uint64_t far = longest_route_links(torus);
  ClusterTag tag;
  tag.kind = kTorus;
  tag.topology = "TORUS";
  tag.topo_parameters = fmt::format("{}", fmt::join(torus.dims, ","));
  tag.hosts = hosts_of(torus.dims);
  tag.link = torus.link;
  tag.node = torus.node;
  tag.note = torus.note;
  tag.description = {
      torus.dims.size() == 1
          ? fmt::format("Torus of {} hosts: a ring.", tag.hosts)
          : fmt::format("Torus of {} hosts: {}.", tag.hosts, fmt::join(torus.dims, " x ")),
      fmt::format("Each cable: {} and {} in each direction.",
                  bandwidth_text(torus.link.bandwidth_bytes_per_s),
                  latency_text(torus.link.latency_s)),
      far == 1
          ? "Every message passes 1 cable."
          : fmt::format("A message passes 1 cable to a neighbour, {} to the farthest host.", far)};
  return cluster_xml(tag);
}

}}  // namespace tutti::platforms
