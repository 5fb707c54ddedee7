#include "platforms/cluster_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "platforms/cluster_file.hpp"

namespace tutti { inline namespace platforms {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

bool same(double a, double b) {
  constexpr double kRounding = 1e-15;  // as doubles, 25 * 1e-6 differs from 25e-6
  return std::abs(a - b) <= kRounding * std::abs(b);
}

// Returns the value in the first unit for which the number is short and in [1, 1000), or else in
// the first unit for which the number is short. SimGrid's product of number and unit must equal the
// value. If there is no such unit, returns the value in the last unit.
std::string quantity_text(double value, std::span<const Unit> units) {
  constexpr std::size_t kShort = 6;
  for (const Unit& unit : units) {
    const double count = value / unit.scale;
    const std::string text = fmt::format("{:.15g}", count);
    if (count >= 1 && count < 1000 && text.size() <= kShort && same(count * unit.scale, value)) {
      return text + std::string(unit.name);
    }
  }
  for (const Unit& unit : units) {
    const double count = value / unit.scale;
    const std::string text = fmt::format("{:.15g}", count);
    if (text.size() <= kShort && same(count * unit.scale, value)) {
      return text + std::string(unit.name);
    }
  }
  return fmt::format("{}{}", value, units.back().name);  // the base unit is always exact
}

void check_positive(std::string_view kind, std::string_view what, double value) {
  if (!std::isfinite(value) || value <= 0) {
    throw UserError(fmt::format("{}: {} is {}; it must be above 0", kind, what, value));
  }
}

// Returns `text` with a space between consecutive hyphens, because XML forbids "--" in comments,
// and without spaces at the end.
std::string comment_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '-' && !line.empty() && line.back() == '-') {
      line += ' ';
    }
    line += c;
  }
  while (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  return line;
}

void check_note(std::string_view kind, std::string_view note) {
  const bool printable = std::ranges::all_of(
      note, [](char c) { return c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20; });
  if (!printable) {
    throw UserError(fmt::format(
        "{}: the note has a control character; XML allows only text, tabs and line ends", kind));
  }
}

}  // namespace

std::string platform_comment(std::string_view kind, const std::vector<std::string>& description,
                             const std::string& note) {
  check_note(kind, note);
  std::string text = "<!--\n";
  for (const std::string& line : description) {
    text += "  " + comment_line(line) + "\n";
  }
  if (!note.empty()) {
    text += "\n";
    std::string_view rest = note;
    std::string_view line;
    while (next_line(rest, line)) {
      text += line.empty() ? "\n" : "  " + comment_line(line) + "\n";
    }
  }
  return text + "-->\n";
}

std::string bandwidth_text(double bytes_per_s) {
  static constexpr std::array kUnits = {Unit{"Gbps", 1.25e8}, Unit{"Mbps", 1.25e5},
                                        Unit{"kbps", 125}, Unit{"bps", 0.125}, Unit{"Bps", 1}};
  return quantity_text(bytes_per_s, kUnits);
}

std::string latency_text(double seconds) {
  static constexpr std::array kUnits = {Unit{"us", 1e-6}, Unit{"ns", 1e-9}, Unit{"ms", 1e-3},
                                        Unit{"s", 1}};
  return quantity_text(seconds, kUnits);
}

std::string speed_text(double flops_per_s) {
  static constexpr std::array kUnits = {Unit{"Gf", 1e9}, Unit{"Mf", 1e6}, Unit{"Tf", 1e12},
                                        Unit{"f", 1}};
  return quantity_text(flops_per_s, kUnits);
}

void check_hosts(std::string_view kind, std::uint64_t hosts) {
  if (hosts == 0 || hosts > kMaxPlatformHosts) {
    throw UserError(
        fmt::format("{}: hosts is {}; it must be 1 to {}", kind, hosts, kMaxPlatformHosts));
  }
}

void check_link(std::string_view kind, const LinkFigures& link) {
  check_positive(kind, "the bandwidth (bw)", link.bandwidth_bytes_per_s);
  // A latency of 0 is refused too, because SimGrid shares a link in proportion to 1/latency.
  check_positive(kind, "the latency (lat)", link.latency_s);
}

void check_node(std::string_view kind, const NodeFigures& node) {
  constexpr std::uint32_t kMaxCores = 4096;
  check_positive(kind, "the speed of a core", node.speed_flops_per_s);
  if (node.cores == 0 || node.cores > kMaxCores) {
    throw UserError(
        fmt::format("{}: cores is {}; it must be 1 to {}", kind, node.cores, kMaxCores));
  }
  if (node.loopback) {
    check_positive(kind, "the bandwidth inside a node (loopback-bw)",
                   node.loopback->bandwidth_bytes_per_s);
    check_positive(kind, "the latency inside a node (loopback-lat)", node.loopback->latency_s);
  }
}

std::string cluster_xml(const ClusterTag& cluster) {
  check_hosts(cluster.kind, cluster.hosts);
  check_link(cluster.kind, cluster.link);
  check_node(cluster.kind, cluster.node);

  std::string attributes = fmt::format(
      "id=\"{}\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\"\n"
      "           speed=\"{}\" core=\"{}\"\n"
      "           bw=\"{}\" lat=\"{}\" sharing_policy=\"SPLITDUPLEX\"",
      cluster.kind, cluster.hosts - 1, speed_text(cluster.node.speed_flops_per_s),
      cluster.node.cores, bandwidth_text(cluster.link.bandwidth_bytes_per_s),
      latency_text(cluster.link.latency_s));
  if (cluster.node.loopback) {
    attributes += fmt::format("\n           loopback_bw=\"{}\" loopback_lat=\"{}\"",
                              bandwidth_text(cluster.node.loopback->bandwidth_bytes_per_s),
                              latency_text(cluster.node.loopback->latency_s));
  }
  if (!cluster.topology.empty()) {
    attributes += fmt::format("\n           topology=\"{}\" topo_parameters=\"{}\"",
                              cluster.topology, cluster.topo_parameters);
  }
  std::string end = "/>";
  if (!cluster.in_network.empty()) {
    end = fmt::format(">\n    <prop id=\"{}\" value=\"{}\"/>\n  </cluster>", kInNetworkProperty,
                      cluster.in_network);
  }
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "{}"
      "<platform version=\"4.1\">\n"
      "  <cluster {}{}\n"
      "</platform>\n",
      platform_comment(cluster.kind, cluster.description, cluster.note), attributes, end);
}

}}  // namespace tutti::platforms
