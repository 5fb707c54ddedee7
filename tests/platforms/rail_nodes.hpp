// A platform for tests whose file lists its links: nodes of hosts with a switch in each node, one
// network card for each host, and a leaf switch for each rail of cards.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace tutti {

struct RailNodes {
  std::uint32_t nodes = 2;
  std::uint32_t hosts = 2;  // of a node
  double inner_bytes_per_s = 450e9;
  double card_bytes_per_s = 50e9;
  double trunk_bytes_per_s = 400e9;
  double latency_s = 5e-7;
};

inline std::string to_xml(const RailNodes& of) {
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
      "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
      "<zone id=\"nodes\" routing=\"Floyd\">\n";
  for (std::uint32_t node = 0; node < of.nodes; ++node) {
    for (std::uint32_t host = 0; host < of.hosts; ++host) {
      text += fmt::format("<host id=\"node-{}-host-{}\" speed=\"100Gf\"/>\n", node, host);
    }
  }
  for (std::uint32_t node = 0; node < of.nodes; ++node) {
    text += fmt::format("<router id=\"node-{}\"/>\n", node);
  }
  for (std::uint32_t rail = 0; rail < of.hosts; ++rail) {
    text += fmt::format("<router id=\"leaf-{}\"/>\n", rail);
  }
  text += "<router id=\"spine\"/>\n";
  std::string routes;
  const auto join = [&](const std::string& from, const std::string& to, double bytes_per_s) {
    text += fmt::format(
        "<link id=\"{}-{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n",
        from, to, bytes_per_s, of.latency_s);
    routes += fmt::format(
        "<route src=\"{0}\" dst=\"{1}\"><link_ctn id=\"{0}-{1}\" direction=\"UP\"/></route>\n",
        from, to);
  };
  for (std::uint32_t node = 0; node < of.nodes; ++node) {
    for (std::uint32_t host = 0; host < of.hosts; ++host) {
      const std::string name = fmt::format("node-{}-host-{}", node, host);
      join(name, fmt::format("node-{}", node), of.inner_bytes_per_s);
      join(name, fmt::format("leaf-{}", host), of.card_bytes_per_s);
    }
  }
  for (std::uint32_t rail = 0; rail < of.hosts; ++rail) {
    join(fmt::format("leaf-{}", rail), "spine", of.trunk_bytes_per_s);
  }
  return text + routes + "</zone>\n</platform>\n";
}

}  // namespace tutti
