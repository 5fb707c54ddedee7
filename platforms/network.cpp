#include "platforms/network.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace tutti { inline namespace platforms {

std::vector<std::uint32_t> Network::alike_hosts() const {
  std::vector<std::uint32_t> own(hosts());
  std::iota(own.begin(), own.end(), 0);
  return own;
}

CrossbarNetwork::CrossbarNetwork(const Crossbar& crossbar)
    : hosts_(crossbar.hosts), host_{crossbar.speed_flops_per_s, 1} {
  if (hosts_ > Hop::kMaxLinks / 2) {
    throw std::length_error(
        fmt::format("a crossbar of {} hosts; it may have at most {}", hosts_, Hop::kMaxLinks / 2));
  }
  links_.assign(std::size_t{2} * hosts_, {crossbar.bandwidth_bytes_per_s, false});
  figures_.latency_s = crossbar.latency_s;
  figures_.weight = crossbar.latency_s > 0 ? 1 / crossbar.latency_s : 1;
  figures_.alone_bytes_per_s = crossbar.bandwidth_bytes_per_s;
}

std::string CrossbarNetwork::link_name(std::uint32_t link) const {
  return fmt::format("node-{} {}", link / 2, link % 2 == 0 ? "up" : "down");
}

LinkPlace CrossbarNetwork::link_place(std::uint32_t link) {
  return {fmt::format("host {} {}", link / 2, link % 2 == 0 ? "up" : "down"), kHostLinks};
}

}}  // namespace tutti::platforms
