#include "platforms/gpu_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/network.hpp"
#include "platforms/xml_numbers.hpp"

namespace tutti { inline namespace platforms {

namespace {

template <auto kMember>
GpuField count_field(std::string_view name) {
  return {name, [](const GpuPlatform& of) { return fmt::format("{}", of.*kMember); },
          [](const std::string& text, GpuPlatform& of) {
            const auto value = xml_whole(text, kMostGpus);
            of.*kMember = value.value_or(0);
            return value.has_value();
          }};
}

template <auto kMember, std::string (*kText)(double),
          std::optional<double> (*kRead)(std::string_view)>
GpuField quantity_field(std::string_view name) {
  return {name, [](const GpuPlatform& of) { return kText(of.*kMember); },
          [](const std::string& text, GpuPlatform& of) {
            const auto value = kRead(text);
            of.*kMember = value.value_or(0);
            return value.has_value();
          }};
}
template <auto kMember>
GpuField rate_field(std::string_view name) {
  return quantity_field<kMember, bandwidth_text, xml_bandwidth>(name);
}
template <auto kMember>
GpuField time_field(std::string_view name) {
  return quantity_field<kMember, latency_text, xml_latency>(name);
}

template <auto kApplies>
GpuField only_if(GpuField field) {
  field.applies = [](const GpuPlatform& of) { return (of.*kApplies)(); };
  return field;
}

constexpr std::array<std::string_view, 3> kFabrics{"rail", "tree", "dragonfly"};

bool read_fabric(const std::string& text, GpuPlatform& of) {
  const auto found = std::ranges::find(kFabrics, text);
  of.fabric = static_cast<GpuFabric>(found - kFabrics.begin());
  return found != kFabrics.end();
}

// Adds a link in each direction.
void join(InnerNetwork& network, std::uint32_t one, std::uint32_t other, std::uint32_t cables) {
  network.links.push_back({one, other, cables});
  network.links.push_back({other, one, cables});
}

// Reads pairs such as "0-1*4,0-2".
void read_pairs(const GpuPlatform& platform, InnerNetwork& network) {
  constexpr std::uint64_t kMostCables = 1000;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  for (const std::string_view part : split(platform.inner, ',')) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const std::size_t star = std::min(part.find('*'), part.size());
    const auto one = xml_whole(part.substr(0, dash), platform.gpus - 1);
    const auto other = dash < star
                           ? xml_whole(part.substr(dash + 1, star - dash - 1), platform.gpus - 1)
                           : std::nullopt;
    const auto cables = star < part.size() ? xml_whole(part.substr(star + 1), kMostCables)
                                           : std::optional<std::uint32_t>(1);
    if (!one || !other || *one == *other || !cables || *cables == 0) {
      throw UserError(fmt::format(
          "gpu: $inner '{}': expected switch, mesh, or pairs of the GPUs 0 to {} of a node, with "
          "commas between them, and with their number of cables if there are several (0-1*4,0-2)",
          platform.inner, platform.gpus - 1));
    }
    if (!known.insert(std::minmax(*one, *other)).second) {
      throw UserError(fmt::format(
          "gpu: $inner '{}': the pair {}-{} occurs twice; write its number of cables, such as "
          "{}-{}*2",
          platform.inner, *one, *other, *one, *other));
    }
    join(network, *one, *other, *cables);
  }
}

// The shortest paths from all GPUs of a node to one of them.
class PathsTo {
 public:
  // `into` has the numbers of the links into each GPU. If there are several shortest paths, their
  // order in `into` decides.
  PathsTo(const InnerNetwork& network, const std::vector<std::vector<std::uint32_t>>& into,
          std::uint32_t to)
      : network_(network), next_(into.size(), kNone), links_(into.size()) {
    std::vector<std::uint32_t> reached{to};
    for (std::size_t at = 0; at < reached.size() && reached.size() < into.size(); ++at) {
      for (const std::uint32_t link : into[reached[at]]) {
        const std::uint32_t from = network.links[link].from;
        if (from != to && next_[from] == kNone) {
          next_[from] = link;
          links_[from] = links_[reached[at]] + 1;
          reached.push_back(from);
        }
      }
    }
  }

  // Returns the number of links of the path from a GPU; 0 if there is no path.
  [[nodiscard]] std::uint32_t links(std::uint32_t from) const { return links_[from]; }
  void append(std::uint32_t from, std::vector<std::uint32_t>& path) const {
    for (std::uint32_t left = links_[from]; left > 0; --left) {
      path.push_back(next_[from]);
      from = network_.links[next_[from]].to;
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  const InnerNetwork& network_;
  std::vector<std::uint32_t> next_;  // by GPU: the first link of its path
  std::vector<std::uint32_t> links_;
};

// A leaf switch that both ends of a message share is four links away, so longer paths within a node
// would not be the shortest.
constexpr std::uint32_t kLongestInnerPath = 2;

void find_paths(const GpuPlatform& platform, InnerNetwork& network) {
  std::vector<std::vector<std::uint32_t>> into(platform.gpus);
  for (std::uint32_t link = 0; link < network.links.size(); ++link) {
    into[network.links[link].to].push_back(link);
  }
  std::vector<PathsTo> paths;
  for (std::uint32_t to = 0; to < platform.gpus; ++to) {
    paths.emplace_back(network, into, to);
  }
  network.first.push_back(0);
  for (std::uint32_t from = 0; from < platform.gpus; ++from) {
    for (std::uint32_t to = 0; to < platform.gpus; ++to) {
      const std::uint32_t links = paths[to].links(from);
      if (from != to && (links == 0 || links > kLongestInnerPath)) {
        throw UserError(fmt::format(
            "gpu: $inner '{}': the GPUs {} and {} of a node are {}; at most {} links may separate "
            "two GPUs",
            platform.inner, from, to,
            links == 0 ? std::string("not joined") : fmt::format("{} links apart", links),
            kLongestInnerPath));
      }
      paths[to].append(from, network.crossed);
      network.first.push_back(static_cast<std::uint32_t>(network.crossed.size()));
      network.longest = std::max(network.longest, links);
    }
  }
}

void check_figures(const GpuPlatform& platform) {
  const auto check_if = [](bool applies, std::string_view field, double value) {
    if (applies && (!std::isfinite(value) || value <= 0)) {
      throw UserError(fmt::format("gpu: {} is {}; it must be above 0", field, value));
    }
  };
  check_if(true, "$inner_bw", platform.inner_bytes_per_s);
  check_if(true, "$inner_lat", platform.inner_s);
  check_if(true, "$memory_bw", platform.memory_bytes_per_s);
  check_if(true, "$pcie_bw", platform.pcie_bytes_per_s);
  check_if(true, "$card_bw", platform.card_bytes_per_s);
  check_if(true, "$card_lat", platform.card_s);
  check_if(true, "$switch_lat", platform.switch_s);
  check_if(platform.has_units(), "the bandwidth above a leaf switch", platform.trunk_bytes_per_s);
  check_if(platform.has_pods(), "the bandwidth above a pod", platform.pod_bytes_per_s);
  check_if(platform.has_pairs(), "the bandwidth between two groups", platform.pair_bytes_per_s);
  check_if(platform.has_pairs(), "$group_lat", platform.pair_s);
  check_if(true, "$speed", platform.speed_flops_per_s);
}

void check_fabric(const GpuPlatform& platform) {
  const auto& [nodes, unit, pod] = std::tie(platform.nodes, platform.unit, platform.pod);
  if (pod > 0 && platform.fabric == GpuFabric::dragonfly) {
    throw UserError(
        fmt::format("gpu: $pod {}: a dragonfly has no pods; leave one of them out", pod));
  }
  if (pod > 0 && nodes % pod != 0) {
    throw UserError(
        fmt::format("gpu: $pod {}: the {} nodes cannot be divided evenly into pods of {} nodes",
                    pod, nodes, pod));
  }
  if (unit == 0 || nodes % unit != 0) {
    throw UserError(
        fmt::format("gpu: $unit {}: the {} nodes cannot be divided evenly into units of {} nodes",
                    unit, nodes, unit));
  }
  if (pod % unit != 0) {
    throw UserError(fmt::format(
        "gpu: $pod {}: the nodes of a pod cannot be divided evenly into units of {} nodes", pod,
        unit));
  }
  if (platform.planes == 0 || platform.planes > kMostPlanes) {
    throw UserError(
        fmt::format("gpu: $planes {}: it must be 1 to {}", platform.planes, kMostPlanes));
  }
  if (platform.lost_planes >= platform.planes) {
    throw UserError(fmt::format("gpu: $lost_planes {}: of {} planes, at least one must be left",
                                platform.lost_planes, platform.planes));
  }
}

void check_cards(const GpuPlatform& platform) {
  const auto& [nodes, gpus, cards] = std::tie(platform.nodes, platform.gpus, platform.cards);
  if (cards == 0 && nodes > 1) {
    throw UserError(fmt::format(
        "gpu: $cards 0: {} nodes without network cards cannot reach each other; give $cards {}",
        nodes, gpus));
  }
  if (cards > gpus) {
    throw UserError(fmt::format(
        "gpu: $cards {}: more cards than the {} GPUs of a node; give $cards {}, with the rate of "
        "all cards of a GPU as $card_bw",
        cards, gpus, gpus));
  }
  if (cards > 0 && gpus % cards != 0) {
    throw UserError(fmt::format(
        "gpu: $cards {}: the {} GPUs of a node cannot be divided evenly among its cards", cards,
        gpus));
  }
}

}  // namespace

const std::vector<GpuField>& gpu_fields() {
  static const std::vector<GpuField> kFields{
      count_field<&GpuPlatform::nodes>("nodes"),
      count_field<&GpuPlatform::gpus>("gpus"),
      count_field<&GpuPlatform::cards>("cards"),
      {"inner", [](const GpuPlatform& of) { return of.inner; },
       [](const std::string& text, GpuPlatform& of) {
         of.inner = text;
         return !text.empty();
       }},
      rate_field<&GpuPlatform::inner_bytes_per_s>("inner_bw"),
      time_field<&GpuPlatform::inner_s>("inner_lat"),
      rate_field<&GpuPlatform::memory_bytes_per_s>("memory_bw"),
      rate_field<&GpuPlatform::pcie_bytes_per_s>("pcie_bw"),
      rate_field<&GpuPlatform::card_bytes_per_s>("card_bw"),
      time_field<&GpuPlatform::card_s>("card_lat"),
      time_field<&GpuPlatform::switch_s>("switch_lat"),
      {"fabric",
       [](const GpuPlatform& of) {
         return std::string(kFabrics.at(static_cast<std::size_t>(of.fabric)));
       },
       read_fabric},
      only_if<&GpuPlatform::has_rails>({"rail",
                                        [](const GpuPlatform& of) {
                                          return std::string(of.rail_of_receiver ? "receiver"
                                                                                 : "sender");
                                        },
                                        [](const std::string& text, GpuPlatform& of) {
                                          of.rail_of_receiver = text == "receiver";
                                          return of.rail_of_receiver || text == "sender";
                                        }}),
      count_field<&GpuPlatform::unit>("unit"),
      only_if<&GpuPlatform::has_units>(rate_field<&GpuPlatform::trunk_bytes_per_s>("trunk_bw")),
      only_if<&GpuPlatform::has_pods>(count_field<&GpuPlatform::pod>("pod")),
      only_if<&GpuPlatform::has_pods>(rate_field<&GpuPlatform::pod_bytes_per_s>("pod_bw")),
      only_if<&GpuPlatform::has_pairs>(rate_field<&GpuPlatform::pair_bytes_per_s>("group_bw")),
      only_if<&GpuPlatform::has_pairs>(time_field<&GpuPlatform::pair_s>("group_lat")),
      count_field<&GpuPlatform::planes>("planes"),
      count_field<&GpuPlatform::lost_planes>("lost_planes"),
      quantity_field<&GpuPlatform::speed_flops_per_s, speed_text, xml_speed>("speed"),
      only_if<&GpuPlatform::reduces>({"in_network",
                                      [](const GpuPlatform& of) { return of.in_network; },
                                      [](const std::string& text, GpuPlatform& of) {
                                        of.in_network = text;
                                        return in_network_of(text).has_value();
                                      }}),
  };
  return kFields;
}

InnerNetwork inner_network(const GpuPlatform& platform) {
  InnerNetwork network;
  if (platform.inner == "switch") {
    for (std::uint32_t gpu = 0; gpu < platform.gpus; ++gpu) {
      join(network, gpu, InnerLink::kSwitch, 1);
    }
    network.longest = 2;
    network.first.push_back(0);
    for (std::uint32_t from = 0; from < platform.gpus; ++from) {
      for (std::uint32_t to = 0; to < platform.gpus; ++to) {
        if (from != to) {
          network.crossed.insert(network.crossed.end(), {2 * from, 2 * to + 1});
        }
        network.first.push_back(static_cast<std::uint32_t>(network.crossed.size()));
      }
    }
    return network;
  }
  if (platform.inner == "mesh") {
    for (std::uint32_t one = 0; one < platform.gpus; ++one) {
      for (std::uint32_t other = one + 1; other < platform.gpus; ++other) {
        join(network, one, other, 1);
      }
    }
  } else {
    read_pairs(platform, network);
  }
  find_paths(platform, network);
  return network;
}

const LinkFigures& GpuLinkFigures::of(ClusterLinkKind kind) const {
  switch (kind) {
    case ClusterLinkKind::inner:
      return inner;
    case ClusterLinkKind::loopback:
      return memory;
    case ClusterLinkKind::pcie:
      return pcie;
    case ClusterLinkKind::cable:
      return card;
    case ClusterLinkKind::router:
      return trunk;
    case ClusterLinkKind::chassis:
      return pod;
    default:
      return pair;
  }
}

GpuLinkFigures link_figures(const GpuPlatform& of) {
  // Half of the latency between two GPUs of a node is that of the last link, the memory.
  const double crossing_s = of.inner_s / 2;
  const double working = of.working_share();
  return {.inner = {of.inner == "switch" ? crossing_s / 2 : crossing_s, of.inner_bytes_per_s},
          .memory = {crossing_s, of.memory_bytes_per_s},
          .pcie = {of.card_s / 2, of.pcie_bytes_per_s},
          .card = {of.card_s / 2 + of.switch_s / 2, working * of.card_bytes_per_s},
          .trunk = {of.switch_s, working * of.trunk_bytes_per_s},
          .pod = {of.switch_s, working * of.pod_bytes_per_s},
          .pair = {of.pair_s, working * of.pair_bytes_per_s}};
}

void check(const GpuPlatform& platform) {
  const std::uint64_t hosts = std::uint64_t{platform.nodes} * platform.gpus;
  if (platform.gpus == 0 || platform.gpus > kMostGpusOfNode) {
    throw UserError(
        fmt::format("gpu: $gpus {}: it must be 1 to {}", platform.gpus, kMostGpusOfNode));
  }
  if (hosts == 0 || hosts > kMostGpus) {
    throw UserError(fmt::format("gpu: {} nodes of {} GPUs: their number must be 1 to {}",
                                platform.nodes, platform.gpus, kMostGpus));
  }
  check_cards(platform);
  check_fabric(platform);
  const InnerNetwork inner = inner_network(platform);
  const bool alike = platform.inner == "switch" || platform.inner == "mesh";
  if (platform.has_rails() && platform.nodes > 1 && !alike) {
    throw UserError(
        fmt::format("gpu: $inner '{}' with $fabric rail: rails need a switch or a mesh, so that "
                    "each GPU reaches each rail equally well; give $fabric tree",
                    platform.inner));
  }
  const std::uint64_t links =
      platform.nodes *
          (inner.links.size() + 3 * std::uint64_t{platform.gpus} + 2 * platform.cards) +
      2 * std::uint64_t{platform.leaves_of_unit()} * (platform.units() + platform.pods()) +
      (platform.has_pairs() ? std::uint64_t{platform.units()} * platform.units() : 0);
  if (links > Hop::kMaxLinks) {
    throw UserError(
        fmt::format("gpu: $nodes {}: their network has {} links; at most {} are possible",
                    platform.nodes, links, Hop::kMaxLinks));
  }
  check_figures(platform);
  if (platform.reduces() && platform.inner != "switch") {
    throw UserError(
        fmt::format("gpu: $in_network '{}': only the switch of a node reduces, but $inner is {}",
                    platform.in_network, platform.inner));
  }
}

}}  // namespace tutti::platforms
