#include "platforms/cluster_file.hpp"

#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/text_lines.hpp"
#include "platforms/explicit_file.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/grouped_file.hpp"
#include "platforms/grouped_parts.hpp"
#include "platforms/xml_check.hpp"
#include "platforms/xml_numbers.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

constexpr std::uintmax_t kMostBytes = 64U << 20U;  // SimGrid reads larger files

using Numbers = std::vector<std::uint32_t>;

// Reads a comma-separated list of numbers that are at least 1.
std::optional<Numbers> counts(std::string_view text) {
  Numbers numbers;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<std::uint32_t> number = xml_whole(part, kMostXmlHosts);
    if (!number || *number == 0) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns the product, or 2^31 if the product is larger and so exceeds every limit.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31U;
  return std::min(a * b, kMost);
}

std::uint64_t pairs(std::uint64_t count) { return times(count, count - 1) / 2; }

// True if the links of `cables` cables, and the loopbacks of all hosts, fit into the range of link
// numbers.
bool fits(std::uint64_t cables, const ClusterCables& common) {
  return times(cables, common.ways) + common.hosts + 1 <= Hop::kMaxLinks;
}

std::optional<ClusterRoutes> torus(const std::string& parameters, const ClusterCables& common) {
  const std::optional<Numbers> sides = counts(parameters);
  if (!sides) {
    return std::nullopt;
  }
  std::uint64_t hosts = 1;
  for (const std::uint32_t side : *sides) {
    hosts = side < 2 ? 0 : times(hosts, side);
  }
  if (hosts != common.hosts || !fits(times(hosts, sides->size()), common)) {
    return std::nullopt;
  }
  return TorusRoutes(common, *sides);
}

// Reads "levels;children;parents;parallel cables".
std::optional<ClusterRoutes> fat_tree(const std::string& parameters, const ClusterCables& common) {
  constexpr std::size_t kParts = 4;
  constexpr std::uint64_t kMostLevels = 16;
  const std::vector<std::string_view> parts = split(parameters, ';');
  if (parts.size() != kParts) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> levels = xml_whole(parts[0], kMostLevels);
  const std::optional<Numbers> down = counts(parts[1]);
  const std::optional<Numbers> up = counts(parts[2]);
  const std::optional<Numbers> parallel = counts(parts[3]);
  if (!levels || !down || !up || !parallel || down->size() != *levels || up->size() != *levels ||
      parallel->size() != *levels) {
    return std::nullopt;
  }
  std::uint64_t hosts = 1;
  for (const std::uint32_t children : *down) {
    hosts = times(hosts, children);
  }
  if (hosts != common.hosts) {
    return std::nullopt;
  }
  std::uint64_t nodes = hosts;
  std::uint64_t cables = 0;
  for (std::uint32_t level = 0; level < *levels; ++level) {
    cables += times(nodes, times((*up)[level], (*parallel)[level]));
    nodes = times(nodes / (*down)[level], (*up)[level]);
    if (!fits(cables, common)) {
      return std::nullopt;
    }
  }
  return FatTreeRoutes(common, *down, *up, *parallel);
}

// Reads "groups,cables;chassis,cables;routers,cables;nodes". Parallel cables become one link with
// their total bandwidth.
std::optional<ClusterRoutes> dragonfly(const std::string& parameters, const ClusterCables& common,
                                       Cluster& cluster) {
  constexpr std::size_t kParts = 4;
  const std::vector<std::string_view> parts = split(parameters, ';');
  if (parts.size() != kParts) {
    return std::nullopt;
  }
  std::array<Numbers, kParts> numbers;
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::optional<Numbers> part = counts(parts[i]);
    if (!part || part->size() != (i + 1 < kParts ? 2 : 1)) {
      return std::nullopt;
    }
    numbers[i] = *part;
  }
  const DragonflyNumbers shape{numbers[0][0], numbers[1][0], numbers[2][0], numbers[3][0]};
  const std::uint64_t chassis = times(shape.groups, shape.chassis);
  const std::uint64_t hosts = times(times(chassis, shape.routers), shape.nodes);
  const std::uint64_t cables = hosts + times(chassis, pairs(shape.routers)) +
                               times(times(shape.groups, pairs(shape.chassis)), shape.routers) +
                               pairs(shape.groups);
  // With more groups than routers, SimGrid would look for cables that do not exist.
  if (hosts != common.hosts || shape.groups > shape.routers || !fits(cables, common)) {
    return std::nullopt;
  }
  const auto widen = [&cluster](ClusterLinkKind kind, std::uint32_t parallel) {
    ClusterLinkFigures figures = cluster.figures[static_cast<std::size_t>(ClusterLinkKind::cable)];
    figures.bandwidth_bytes_per_s *= parallel;
    cluster.figures[static_cast<std::size_t>(kind)] = figures;
  };
  widen(ClusterLinkKind::group, numbers[0][1]);
  widen(ClusterLinkKind::chassis, numbers[1][1]);
  widen(ClusterLinkKind::router, numbers[2][1]);
  return DragonflyRoutes(common, shape);
}

// True if the id of the cluster could be the name of one of its hosts. SimGrid keeps the names of
// clusters and hosts in one list, so such an id could be a duplicate.
bool may_be_a_host(const ClusterNames& names) {
  std::string_view id = names.id;
  if (id.size() < names.prefix.size() + names.suffix.size() || !id.starts_with(names.prefix) ||
      !id.ends_with(names.suffix)) {
    return false;
  }
  id.remove_prefix(names.prefix.size());
  id.remove_suffix(names.suffix.size());
  return std::all_of(id.begin(), id.end(), is_xml_digit);
}

std::optional<Cluster> cluster_of(const pugi::xml_node& node) {
  const auto text = [&node](const char* name) { return std::string(node.attribute(name).value()); };
  const auto has = [&node](const char* name) { return !node.attribute(name).empty(); };
  for (const char* needed : {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"}) {
    if (!has(needed)) {
      return std::nullopt;
    }
  }
  ClusterNames names{text("id"), text("prefix"), text("suffix"), {}};
  const std::optional<Numbers> numbers = xml_radicals(text("radical"));
  const std::optional<double> host_speed = xml_speed(text("speed"));
  const std::optional<std::uint32_t> cores =
      xml_whole(has("core") ? text("core") : "1", kMostXmlCores);
  const std::optional<double> bytes_per_s = xml_bandwidth(text("bw"));
  const std::optional<double> latency_s = xml_latency(text("lat"));
  if (names.id.empty() || may_be_a_host(names) || !numbers || !host_speed || !cores ||
      *cores == 0 || !bytes_per_s || !latency_s) {
    return std::nullopt;
  }
  names.radicals = *numbers;
  const std::string sharing = has("sharing_policy") ? text("sharing_policy") : "SPLITDUPLEX";
  const std::string backbone_sharing =
      has("bb_sharing_policy") ? text("bb_sharing_policy") : "SHARED";
  if ((sharing != "SPLITDUPLEX" && sharing != "SHARED") ||
      (backbone_sharing != "FATPIPE" && backbone_sharing != "SHARED")) {
    return std::nullopt;
  }

  Cluster cluster{.names = std::move(names),
                  .routes = StarRoutes({}, false),
                  .figures = {},
                  .host = {*host_speed, *cores}};
  const auto figures = [&cluster](ClusterLinkKind kind) -> ClusterLinkFigures& {
    return cluster.figures[static_cast<std::size_t>(kind)];
  };
  figures(ClusterLinkKind::cable) = {*bytes_per_s, *latency_s, false};
  // A missing latency counts as 0.
  const auto read_link = [&](const char* bandwidth_name, const char* latency_name,
                             ClusterLinkKind kind, bool fatpipe) {
    const std::optional<double> width = xml_bandwidth(text(bandwidth_name));
    const std::optional<double> delay = xml_latency(has(latency_name) ? text(latency_name) : "0s");
    figures(kind) = {width.value_or(0), delay.value_or(0), fatpipe};
    return width && delay;
  };
  const bool loopback = has("loopback_bw") || has("loopback_lat");
  const bool backbone = has("bb_bw") || has("bb_lat");
  if ((loopback && !read_link("loopback_bw", "loopback_lat", ClusterLinkKind::loopback, true)) ||
      (backbone &&
       !read_link("bb_bw", "bb_lat", ClusterLinkKind::backbone, backbone_sharing == "FATPIPE"))) {
    return std::nullopt;
  }

  const ClusterCables common{.hosts = static_cast<std::uint32_t>(cluster.names.radicals.size()),
                             .ways = sharing == "SHARED" ? 1U : 2U,
                             .loopback = loopback};
  const std::string topology = has("topology") ? text("topology") : "FLAT";
  const std::string parameters = text("topo_parameters");
  std::optional<ClusterRoutes> routes;
  if (topology == "FLAT") {
    if (parameters.empty() && fits(common.hosts, common)) {
      routes = StarRoutes(common, backbone);
    }
  } else if (!backbone) {
    if (topology == "TORUS") {
      routes = torus(parameters, common);
    } else if (topology == "FAT_TREE") {
      routes = fat_tree(parameters, common);
    } else if (topology == "DRAGONFLY") {
      routes = dragonfly(parameters, common, cluster);
    }
  }
  if (!routes) {
    return std::nullopt;
  }
  cluster.routes = std::move(*routes);
  return cluster;
}

// True if the cluster has no child, or only the <prop> that declares switches that reduce and
// multicast.
bool has_no_other_child(const pugi::xml_node& cluster) {
  const pugi::xml_node child = cluster.first_child();
  return !child || (std::string_view(child.name()) == "prop" && !child.next_sibling() &&
                    !child.first_child() && plain_attributes(child, {"id", "value"}) &&
                    child.attribute("id").value() == kInNetworkProperty);
}

// Returns the only child of a zone, or of a zone in a zone, whose routes are then those of the
// child. Returns nothing if a zone has other content, or an id that another point has too. `ids`
// gets the ids of the zones.
pugi::xml_node without_zones(pugi::xml_node node, std::vector<std::string>& ids) {
  while (is_tag(node, "zone")) {
    const std::string routing = text_of(node, "routing");
    ids.push_back(text_of(node, "id"));
    if (!plain_attributes(node, {"id", "routing"}) || ids.back().empty() ||
        (routing != "Full" && routing != "Floyd" && routing != "Dijkstra" &&
         routing != "DijkstraCache") ||
        node.next_sibling() || std::ranges::count(ids, ids.back()) > 1) {
      return {};
    }
    node = node.first_child();
  }
  return node;
}

}  // namespace

std::optional<InNetwork> in_network_of(std::string_view value) {
  if (value == "yes") {
    return InNetwork{};
  }
  const std::optional<double> rate = xml_bandwidth(value);
  return rate && *rate > 0 ? std::optional(InNetwork{*rate}) : std::nullopt;
}

std::shared_ptr<const ClusterPlatform> read_cluster_text(const std::string& xml,
                                                         const std::string& path,
                                                         std::vector<std::string> notes) {
  pugi::xml_document document;
  if (!parse_xml(document, xml)) {
    return nullptr;
  }
  const pugi::xml_node platform = document.document_element();
  for (const auto read : {read_gpu, read_grouped, read_explicit}) {
    if (std::optional<Cluster> found = read(platform)) {
      return std::make_shared<const ClusterPlatform>(
          std::make_shared<const Cluster>(std::move(*found)), path, std::move(notes));
    }
  }
  std::vector<std::string> zones;
  const pugi::xml_node node = without_zones(platform.first_child(), zones);
  if (std::string_view(platform.name()) != "platform" ||
      std::string_view(node.name()) != "cluster" || node.next_sibling() ||
      !has_no_other_child(node) || !plain_attributes(platform, {"version"}) ||
      std::string_view(platform.attribute("version").value()) != "4.1" ||
      !plain_attributes(node, {"id", "prefix", "suffix", "radical", "speed", "core", "bw", "lat",
                               "sharing_policy", "bb_bw", "bb_lat", "bb_sharing_policy",
                               "loopback_bw", "loopback_lat", "topology", "topo_parameters"})) {
    return nullptr;
  }
  std::optional<Cluster> cluster = cluster_of(node);
  if (!cluster) {
    return nullptr;
  }
  const bool named_alike = std::ranges::any_of(zones, [&](const std::string& id) {
    ClusterNames names = cluster->names;
    names.id = id;
    return id == cluster->names.id || may_be_a_host(names);
  });
  if (named_alike) {
    return nullptr;
  }
  if (const pugi::xml_node declared = node.first_child()) {
    cluster->in_network = in_network_of(declared.attribute("value").value());
    if (!cluster->in_network) {
      return nullptr;
    }
  }
  return std::make_shared<const ClusterPlatform>(
      std::make_shared<const Cluster>(std::move(*cluster)), path, std::move(notes));
}

std::shared_ptr<const ClusterPlatform> read_cluster_file(const std::string& file,
                                                         const std::string& network_model) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) > kMostBytes || error) {
    return nullptr;
  }
  try {
    CheckedPlatform checked = check_platform_file(file, network_model);
    return read_cluster_text(checked.xml, file, std::move(checked.notes));
  } catch (const UserError&) {
    return nullptr;  // the error is reported when SimGrid loads the file
  }
}

}}  // namespace tutti::platforms
