// Writes a mesh as a zone with a route for each pair of hosts, because SimGrid's <cluster> has no
// such topology.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/torus.hpp"

namespace tutti { inline namespace platforms {
namespace {

constexpr const char* kMesh = "mesh";
constexpr std::uint64_t kMostCrossed = 1U << 20U;  // about 40 MB of XML

std::uint64_t hosts_of_mesh(const std::vector<std::uint32_t>& dims) {
  std::uint64_t hosts = 1;
  for (const std::uint32_t dim : dims) {
    hosts *= dim;
  }
  return hosts;
}

// Returns the number of links on all routes. Along a dimension of side s, the distances of all
// pairs of coordinates sum to (s^3 - s) / 3; each occurs (hosts / s)^2 times.
double crossed_links(const std::vector<std::uint32_t>& dims) {
  const auto hosts = static_cast<double>(hosts_of_mesh(dims));
  double all = 0;
  for (const std::uint32_t dim : dims) {
    const double side = dim;
    all += (side * side * side - side) / 3 * (hosts / side) * (hosts / side);
  }
  return all;
}

class MeshWriter {
 public:
  explicit MeshWriter(const Torus& mesh)
      : mesh_(mesh), hosts_(static_cast<std::uint32_t>(hosts_of_mesh(mesh.dims))) {}

  std::string write() {
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      text_ += fmt::format("    <host id=\"node-{}\" speed=\"{}\" core=\"{}\"/>\n", host,
                           speed_text(mesh_.node.speed_flops_per_s), mesh_.node.cores);
    }
    // SimGrid's own loopback would take no time for small messages.
    const LinkFigures loopback = mesh_.node.loopback.value_or(mesh_.link);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      link(fmt::format("node-{}_loopback", host), loopback, "FATPIPE");
      for_dimensions([&](std::uint32_t side, std::uint32_t stride) {
        if (host / stride % side + 1 < side) {
          link(fmt::format("{}-{}", host, host + stride), mesh_.link, "SPLITDUPLEX");
        }
      });
    }
    for (std::uint32_t from = 0; from < hosts_; ++from) {
      for (std::uint32_t to = 0; to < hosts_; ++to) {
        text_ +=
            fmt::format(R"(    <route src="node-{}" dst="node-{}" symmetrical="NO">)", from, to);
        route(from, to);
        text_ += "</route>\n";
      }
    }
    return std::move(text_);
  }

 private:
  void link(const std::string& id, const LinkFigures& figures, std::string_view policy) {
    text_ += fmt::format(
        "    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"{}\"/>\n", id,
        bandwidth_text(figures.bandwidth_bytes_per_s), latency_text(figures.latency_s), policy);
  }

  // Calls look(side, stride) for each dimension. Neighbours differ by `stride`.
  template <typename Look>
  void for_dimensions(Look&& look) const {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : mesh_.dims) {
      look(side, stride);
      stride *= side;
    }
  }

  void route(std::uint32_t from, std::uint32_t to) {
    if (from == to) {
      text_ += fmt::format(R"(<link_ctn id="node-{}_loopback"/>)", from);
      return;
    }
    std::uint32_t at = from;
    for_dimensions([&](std::uint32_t side, std::uint32_t stride) {
      const std::uint32_t target = to / stride % side;
      while (at / stride % side != target) {
        const bool up = at / stride % side < target;
        const std::uint32_t lower = up ? at : at - stride;
        text_ += fmt::format(R"(<link_ctn id="{}-{}" direction="{}"/>)", lower, lower + stride,
                             up ? "UP" : "DOWN");
        at = up ? at + stride : at - stride;
      }
    });
  }

  const Torus& mesh_;
  std::uint32_t hosts_;
  std::string text_;
};

}  // namespace

std::string mesh_to_xml(const Torus& mesh) {
  check_sides(kMesh, mesh.dims);
  check_link(kMesh, mesh.link);
  check_node(kMesh, mesh.node);
  if (const double crossed = crossed_links(mesh.dims); crossed > kMostCrossed) {
    throw UserError(
        fmt::format("mesh: the routes of sides {} cross {:.0f} links, but a file can list at most "
                    "{}, which suffices for 17,17",
                    fmt::join(mesh.dims, ","), crossed, kMostCrossed));
  }
  std::uint32_t farthest = 0;
  for (const std::uint32_t dim : mesh.dims) {
    farthest += dim - 1;
  }
  const std::vector<std::string> description{
      mesh.dims.size() == 1 ? fmt::format("Mesh of {} hosts: a line.", mesh.dims[0])
                            : fmt::format("Mesh of {} hosts: {}.", hosts_of_mesh(mesh.dims),
                                          fmt::join(mesh.dims, " x ")),
      fmt::format("Each cable: {} and {} in each direction.",
                  bandwidth_text(mesh.link.bandwidth_bytes_per_s),
                  latency_text(mesh.link.latency_s)),
      farthest == 1
          ? "Every message passes 1 cable."
          : fmt::format("A message crosses 1 cable to a neighbour and {} to the farthest host; "
                        "the latencies of the cables add up.",
                        farthest)};
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "{}"
      "<platform version=\"4.1\">\n"
      "  <zone id=\"mesh\" routing=\"Full\">\n"
      "{}"
      "  </zone>\n"
      "</platform>\n",
      platform_comment(kMesh, description, mesh.note), MeshWriter(mesh).write());
}

}}  // namespace tutti::platforms
