// Writes clusters of GPUs.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/gpu_platform.hpp"
#include "platforms/gpu_routes.hpp"

namespace tutti { inline namespace platforms {

namespace {

// A route of the zone is a step from a host or switch to another one. Data that change rails within
// the receiver's node pass a router of their own, because they do not cross the receiver's memory
// there (see gpu_routes.hpp). SimGrid joins the steps. It reads the links of a step last first, so
// they are written in this order; the times do not depend on it.
class GpuZoneWriter {
 public:
  explicit GpuZoneWriter(const GpuPlatform& platform)
      : platform_(platform), routes_(platform), figures_(link_figures(platform)) {}

  std::string write() {
    for (std::uint32_t host = 0; host < platform_.hosts(); ++host) {
      put("<host id=\"{}\" speed=\"{}\"/>\n", host_name(host),
          speed_text(platform_.speed_flops_per_s));
    }
    for (std::uint32_t node = 0; has_switch() && node < platform_.nodes; ++node) {
      put("<router id=\"{}\"/>\n", switch_name(node));
      if (relays() && !platform_.rail_of_receiver) {
        put("<router id=\"{}\"/>\n", relay_name(node));
      }
    }
    for_leaves([this](std::uint32_t unit, std::uint32_t leaf) {
      put("<router id=\"{}\"/>\n", leaf_name(unit, leaf));
    });
    for_spines([this](std::uint32_t, const std::string& name, std::uint32_t) {
      put("<router id=\"{}\"/>\n", name);
    });
    for (std::uint32_t leaf = 0; platform_.has_pods() && leaf < platform_.leaves_of_unit();
         ++leaf) {
      put("<router id=\"{}\"/>\n", top_name(leaf));
    }
    for (std::uint32_t link = 0; link < routes_.links(); ++link) {
      write_link(link);
    }
    for (std::uint32_t host = 0; host < platform_.hosts(); ++host) {
      write_within_node(host);
      if (platform_.nodes > 1) {
        write_out(host);
        write_in(host);
        if (relays()) {
          write_relay(host);
        }
      }
    }
    write_above_leaves();
    return std::move(text_);
  }

 private:
  using Links = std::vector<std::uint32_t>;

  template <typename... Values>
  void put(fmt::format_string<Values...> line, Values&&... values) {
    text_ += fmt::format(line, std::forward<Values>(values)...);
  }

  [[nodiscard]] std::string host_name(std::uint32_t host) const {
    return fmt::format("node-{}-gpu-{}", host / platform_.gpus, host % platform_.gpus);
  }
  static std::string leaf_name(std::uint32_t unit, std::uint32_t leaf) {
    return fmt::format("unit-{}-leaf-{}", unit, leaf);
  }
  // Returns the name of the switches that join the leaf switches of a pod (with rails, those with
  // the same number), or of the end of a dragonfly's group.
  [[nodiscard]] std::string spine_name(std::uint32_t unit, std::uint32_t leaf) const {
    return platform_.has_pairs()  ? fmt::format("unit-{}-gateway", unit)
           : platform_.has_pods() ? fmt::format("pod-{}-spine-{}", pod_of(unit), leaf)
                                  : fmt::format("spine-{}", leaf);
  }
  static std::string top_name(std::uint32_t leaf) { return fmt::format("top-{}", leaf); }
  [[nodiscard]] std::uint32_t pod_of(std::uint32_t unit) const {
    return unit * platform_.unit / platform_.pod;
  }

  // Calls look(unit, name, leaf) for the first unit below each spine.
  template <typename Look>
  void for_spines(Look&& look) const {
    const std::uint32_t units = platform_.has_pairs()  ? 1
                                : platform_.has_pods() ? platform_.pod / platform_.unit
                                                       : platform_.units();
    for (std::uint32_t unit = 0; platform_.has_units() && unit < platform_.units(); unit += units) {
      for (std::uint32_t leaf = 0; leaf < platform_.leaves_of_unit(); ++leaf) {
        look(unit, spine_name(unit, leaf), leaf);
      }
    }
  }

  void write_above_leaves() {
    for_leaves([this](std::uint32_t unit, std::uint32_t leaf) {
      if (platform_.has_units()) {
        write_route(leaf_name(unit, leaf), spine_name(unit, leaf), {routes_.trunk_up(unit, leaf)});
        write_route(spine_name(unit, leaf), leaf_name(unit, leaf),
                    {routes_.trunk_down(unit, leaf)});
      }
    });
    for_spines([this](std::uint32_t unit, const std::string& name, std::uint32_t leaf) {
      if (platform_.has_pods()) {
        write_route(name, top_name(leaf), {routes_.pod_up(pod_of(unit), leaf)});
        write_route(top_name(leaf), name, {routes_.pod_down(pod_of(unit), leaf)});
      }
      for (std::uint32_t other = 0; platform_.has_pairs() && other < platform_.units(); ++other) {
        if (other != unit) {
          write_route(name, spine_name(other, 0), {routes_.between_groups(unit, other)});
        }
      }
    });
  }

  template <typename Look>
  void for_leaves(Look&& look) const {
    for (std::uint32_t unit = 0; platform_.nodes > 1 && unit < platform_.units(); ++unit) {
      for (std::uint32_t leaf = 0; leaf < platform_.leaves_of_unit(); ++leaf) {
        look(unit, leaf);
      }
    }
  }

  void write_link(std::uint32_t link) {
    const ClusterLinkKind kind = routes_.kind(link);
    const LinkFigures& figures = figures_.of(kind);
    put("<link id=\"{}\" bandwidth=\"{}\" latency=\"{}\"{}/>\n", routes_.link_name(link),
        bandwidth_text(routes_.cables_of(link) * figures.bandwidth_bytes_per_s),
        latency_text(figures.latency_s),
        kind == ClusterLinkKind::loopback ? " sharing_policy=\"FATPIPE\"" : "");
  }

  void write_route(const std::string& from, const std::string& to, const Links& links) {
    put("<route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", from, to);
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
      put("<link_ctn id=\"{}\"/>", routes_.link_name(*link));
    }
    text_ += "</route>\n";
  }

  [[nodiscard]] bool has_switch() const {
    return platform_.inner == "switch" && platform_.gpus > 1;
  }
  // True if data that change rails leave, or enter, over the node's switch by routes that all GPUs
  // of the node share.
  [[nodiscard]] bool relays() const {
    return has_switch() && platform_.nodes > 1 && platform_.has_rails() &&
           platform_.cards == platform_.gpus;
  }
  static std::string switch_name(std::uint32_t node) { return fmt::format("node-{}-switch", node); }
  static std::string relay_name(std::uint32_t node) { return fmt::format("node-{}-relay", node); }

  void write_within_node(std::uint32_t host) {
    const std::uint32_t node = host / platform_.gpus;
    if (!has_switch()) {
      for (std::uint32_t gpu = 0; gpu < platform_.gpus; ++gpu) {
        Links links = path(node, host % platform_.gpus, gpu);
        const std::uint32_t to = node * platform_.gpus + gpu;
        links.push_back(routes_.memory(to));
        write_route(host_name(host), host_name(to), links);
      }
      return;
    }
    write_route(host_name(host), host_name(host), {routes_.memory(host)});
    write_route(host_name(host), switch_name(node), {up(host)});
    write_route(switch_name(node), host_name(host), {down(host), routes_.memory(host)});
  }
  // Returns the link between a GPU and the switch of its node.
  [[nodiscard]] std::uint32_t up(std::uint32_t host) const {
    return routes_.inner_link(host / platform_.gpus, 2 * (host % platform_.gpus));
  }
  [[nodiscard]] std::uint32_t down(std::uint32_t host) const { return up(host) + 1; }

  // Writes how data change to, or from, the rail of the host.
  void write_relay(std::uint32_t host) {
    const std::uint32_t node = host / platform_.gpus;
    const std::uint32_t card = routes_.card(host);
    if (platform_.rail_of_receiver) {
      write_route(switch_name(node), leaf_of(node, card),
                  {down(host), routes_.pcie_out(host), routes_.card_out(node, card)});
    } else {
      write_route(leaf_of(node, card), relay_name(node),
                  {routes_.card_in(node, card), routes_.pcie_in(host), up(host)});
      write_route(relay_name(node), host_name(host), {down(host)});
    }
  }

  [[nodiscard]] Links path(std::uint32_t node, std::uint32_t from, std::uint32_t to) const {
    Links links;
    routes_.cross(node, from, to, [&links](std::uint32_t link) { links.push_back(link); });
    return links;
  }

  // Calls look(card, host) for each card that a host uses, and the host of its node beside it.
  template <typename Look>
  void for_cards(std::uint32_t host, bool all, Look&& look) const {
    for (std::uint32_t card = 0; card < platform_.cards; ++card) {
      if (all || card == routes_.card(host)) {
        look(card, routes_.beside_card(host, card));
      }
    }
  }

  void write_out(std::uint32_t host) {
    const std::uint32_t node = host / platform_.gpus;
    for_cards(host, platform_.has_rails() && platform_.rail_of_receiver && !relays(),
              [&](std::uint32_t card, std::uint32_t beside) {
                Links links = path(node, host % platform_.gpus, beside % platform_.gpus);
                links.insert(links.end(), {routes_.pcie_out(beside), routes_.card_out(node, card)});
                write_route(host_name(host), leaf_of(node, card), links);
              });
  }

  void write_in(std::uint32_t host) {
    const std::uint32_t node = host / platform_.gpus;
    for_cards(host, platform_.has_rails() && !platform_.rail_of_receiver && !relays(),
              [&](std::uint32_t card, std::uint32_t beside) {
                Links links{routes_.card_in(node, card), routes_.pcie_in(beside)};
                const Links inner = path(node, beside % platform_.gpus, host % platform_.gpus);
                links.insert(links.end(), inner.begin(), inner.end());
                write_route(leaf_of(node, card), host_name(host), links);
              });
  }
  [[nodiscard]] std::string leaf_of(std::uint32_t node, std::uint32_t card) const {
    return leaf_name(node / platform_.unit, routes_.leaf_of_card(card));
  }

  const GpuPlatform& platform_;
  GpuRoutes routes_;
  GpuLinkFigures figures_;
  std::string text_;
};

std::string zone_text(const GpuPlatform& platform, const std::string& comment, bool listed) {
  check(platform);
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
      comment +
      fmt::format("<platform version=\"4.1\">\n<zone id=\"gpus\" routing=\"{}\">\n", kGpuRouting);
  for (const GpuField& field : gpu_fields()) {
    if (field.applies(platform)) {
      text += fmt::format("<prop id=\"{}{}\" value=\"{}\"/>\n", kGpuProperty, field.name,
                          field.text(platform));
    }
  }
  if (listed) {
    text += GpuZoneWriter(platform).write();
  }
  return text + "</zone>\n</platform>\n";
}

}  // namespace

bool is_listed(const GpuPlatform& platform) {
  constexpr std::uint64_t kMostElements = 1U << 18U;  // links, and routes within nodes
  const std::uint64_t hosts = std::uint64_t{platform.nodes} * platform.gpus;
  const std::uint64_t routes = platform.inner == "switch" ? 0 : hosts * platform.gpus;
  return hosts <= kMostListedGpus && GpuRoutes(platform).links() + routes <= kMostElements;
}

std::string to_xml(const GpuPlatform& platform, const std::vector<std::string>& description,
                   const std::string& note) {
  check(platform);
  return zone_text(platform, platform_comment("gpu", description, note), is_listed(platform));
}

std::string gpu_zone_xml(const GpuPlatform& platform) { return zone_text(platform, "", true); }

}}  // namespace tutti::platforms
