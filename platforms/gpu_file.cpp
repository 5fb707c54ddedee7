#include "platforms/gpu_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_xml.hpp"
#include "platforms/grouped_parts.hpp"
#include "platforms/xml_numbers.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Returns the figures that SimGrid reads for a link of several cables with these figures.
ClusterLinkFigures as_read(const LinkFigures& cable, std::uint32_t cables = 1) {
  return {xml_bandwidth(bandwidth_text(cables * cable.bandwidth_bytes_per_s)).value(),
          xml_latency(latency_text(cable.latency_s)).value(), false};
}

// Returns the next element at or after `node`, without comments and texts.
pugi::xml_node element_at(pugi::xml_node node) {
  while (node && node.type() != pugi::node_element) {
    node = node.next_sibling();
  }
  return node;
}

bool same_tree(const pugi::xml_node& one, const pugi::xml_node& other) {
  if (std::string_view(one.name()) != other.name() ||
      !std::ranges::equal(one.attributes(), other.attributes(), [](const auto& a, const auto& b) {
        return std::string_view(a.name()) == b.name() && std::string_view(a.value()) == b.value();
      })) {
    return false;
  }
  pugi::xml_node a = element_at(one.first_child());
  pugi::xml_node b = element_at(other.first_child());
  while (a && b && same_tree(a, b)) {
    a = element_at(a.next_sibling());
    b = element_at(b.next_sibling());
  }
  return !a && !b;
}

// Returns the zone with the description; an empty node if there is none.
pugi::xml_node described_zone(const pugi::xml_node& platform) {
  const pugi::xml_node zone = element_at(platform.first_child());
  const pugi::xml_node first = element_at(zone.first_child());
  const bool described = is_tag(platform, "platform") && is_tag(zone, "zone") &&
                         is_tag(first, "prop") && text_of(first, "id").starts_with(kGpuProperty);
  return described ? zone : pugi::xml_node();
}

// True if the platform has only the description.
bool is_without_hosts(const pugi::xml_node& platform) {
  const pugi::xml_node zone = described_zone(platform);
  return zone && std::ranges::all_of(zone.children(), [](const pugi::xml_node& node) {
           return node.type() != pugi::node_element || is_tag(node, "prop");
         });
}

// A file with only the description means nothing to SimGrid, so everything else in it must be as
// tutti writes it. Throws UserError otherwise.
void check_alone(const pugi::xml_node& platform) {
  const pugi::xml_node zone = described_zone(platform);
  if (const pugi::xml_node other = element_at(zone.next_sibling())) {
    throw UserError(
        fmt::format("<{}> after the zone with the properties '{}...': a file without "
                    "hosts has only this zone",
                    other.name(), kGpuProperty));
  }
  if (text_of(zone, "routing") != kGpuRouting) {
    throw UserError(fmt::format("routing=\"{}\": a zone with the properties '{}...' has {}",
                                text_of(zone, "routing"), kGpuProperty, kGpuRouting));
  }
}

void read_property(const pugi::xml_node& node, std::set<std::string>& known, GpuPlatform& found) {
  const std::string id = text_of(node, "id");
  const std::string value = text_of(node, "value");
  const auto field = std::ranges::find_if(gpu_fields(), [&](const GpuField& each) {
    return id == fmt::format("{}{}", kGpuProperty, each.name);
  });
  if (field == gpu_fields().end() || !known.insert(id).second) {
    throw UserError(fmt::format("the property '{}' is {}", id,
                                field == gpu_fields().end() ? "unknown" : "given twice"));
  }
  if (!field->read(value, found)) {
    throw UserError(
        fmt::format("the property '{}' has the invalid value '{}'; 'tutti platform "
                    "gpu' writes valid ones",
                    id, value));
  }
}

// Figures of links and hosts.
void add_figures(const GpuPlatform& from, const GpuRoutes& routes, Cluster& cluster) {
  const GpuLinkFigures figures = link_figures(from);
  const auto of_kind = [&cluster](ClusterLinkKind kind) -> ClusterLinkFigures& {
    return cluster.figures[static_cast<std::size_t>(kind)];
  };
  for (std::size_t kind = 0; kind < kClusterLinkKinds; ++kind) {
    const LinkFigures& own = figures.of(static_cast<ClusterLinkKind>(kind));
    if (own.bandwidth_bytes_per_s > 0) {
      cluster.figures[kind] = as_read(own);
    }
  }
  of_kind(ClusterLinkKind::loopback).fatpipe = true;
  cluster.host = {xml_speed(speed_text(from.speed_flops_per_s)).value(), 1};
  const auto& inner = routes.inner().links;
  if (std::ranges::all_of(inner, [](const InnerLink& link) { return link.cables == 1; })) {
    return;
  }
  for (std::uint32_t link = 0; link < routes.links(); ++link) {
    cluster.figures_of_link.push_back(of_kind(routes.kind(link)));
  }
  for (std::uint32_t node = 0; node < from.nodes; ++node) {
    for (std::uint32_t link = 0; link < inner.size(); ++link) {
      cluster.figures_of_link[routes.inner_link(node, link)] =
          as_read(figures.inner, inner[link].cables);
    }
  }
}

}  // namespace

std::optional<GpuPlatform> gpu_description(const pugi::xml_node& platform) {
  const pugi::xml_node zone = described_zone(platform);
  if (!zone) {
    return std::nullopt;
  }
  GpuPlatform found;
  std::set<std::string> known;
  for (const pugi::xml_node& node : zone.children("prop")) {
    read_property(node, known, found);
  }
  for (const GpuField& field : gpu_fields()) {
    const bool given = known.contains(fmt::format("{}{}", kGpuProperty, field.name));
    if (given != field.applies(found)) {
      throw UserError(fmt::format("the property '{}{}' {}", kGpuProperty, field.name,
                                  given ? "has no effect here" : "is missing"));
    }
  }
  check(found);
  return found;
}

bool is_only_description(const std::string& xml) {
  pugi::xml_document document;
  return parse_xml(document, xml) && is_without_hosts(document.document_element());
}

std::optional<GpuPlatform> read_gpu_description(const std::string& file) {
  const std::string text = read_file(file, kPlatformFile);
  pugi::xml_document document;
  if (!parse_xml(document, text)) {
    return std::nullopt;
  }
  std::optional<GpuPlatform> found;
  try {
    found = gpu_description(document.document_element());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", user_text(file), error.what()));
  }
  if (found && !read_gpu(document.document_element())) {
    throw UserError(fmt::format("{}: {}", user_text(file), why_gpus_unknown(file).value_or("")));
  }
  return found;
}

std::optional<std::string> why_gpus_unknown(const std::string& file) {
  const std::string text = read_file(file, kPlatformFile);
  pugi::xml_document document;
  if (!parse_xml(document, text) || !described_zone(document.document_element())) {
    return std::nullopt;
  }
  return fmt::format("its hosts, links or routes differ from its properties '{}...'", kGpuProperty);
}

Cluster cluster_of(const GpuPlatform& platform) {
  GpuRoutes routes(platform);
  ClusterNames names;
  names.gpus_of_node = platform.gpus;
  Cluster cluster{.names = std::move(names), .routes = routes, .figures = {}, .host = {}};
  add_figures(platform, routes, cluster);
  if (platform.reduces()) {
    cluster.in_network = in_network_of(platform.in_network);
  }
  return cluster;
}

std::optional<Cluster> read_gpu(const pugi::xml_node& platform) {
  const std::optional<GpuPlatform> found = gpu_description(platform);
  if (!found) {
    return std::nullopt;
  }
  if (is_without_hosts(platform)) {
    check_alone(platform);
  } else {
    const std::string wanted = gpu_zone_xml(*found);
    pugi::xml_document document;
    if (!parse_xml(document, wanted) || !same_tree(platform, document.document_element())) {
      return std::nullopt;
    }
  }
  return cluster_of(*found);
}

}}  // namespace tutti::platforms
