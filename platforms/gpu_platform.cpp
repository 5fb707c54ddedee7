#include "platforms/gpu_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text_lines.hpp"
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

template <auto kMember>
bool read_word(const std::string& text, std::string_view yes, std::string_view no,
               GpuPlatform& of) {
  of.*kMember = text == yes;
  return text == yes || text == no;
}

void check_positive(std::string_view field, double value) {
  if (!std::isfinite(value) || value <= 0) {
    throw UserError(fmt::format("gpu: {} is {}; it must be above 0", field, value));
  }
}

// Adds a link in each direction.
void join(InnerNetwork& network, std::uint32_t one, std::uint32_t other, std::uint32_t cables) {
  network.links.push_back({one, other, cables});
  network.links.push_back({other, one, cables});
}

// Reads pairs such as "0-1*4,0-2".
void read_pairs(const GpuPlatform& platform, InnerNetwork& network) {
  constexpr std::uint64_t kMostCables = 1000;
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
          "gpu: $inner '{}': expected switch, mesh, or pairs of the GPUs 0 to {} of a node with "
          "their number of cables, such as 0-1*4,0-2",
          platform.inner, platform.gpus - 1));
    }
    const bool again = std::ranges::any_of(network.links, [&](const InnerLink& link) {
      return link.from == *one && link.to == *other;
    });
    if (again) {
      throw UserError(fmt::format(
          "gpu: $inner '{}': the pair {}-{} occurs twice; write its number of cables, such as "
          "{}-{}*2",
          platform.inner, *one, *other, *one, *other));
    }
    join(network, *one, *other, *cables);
  }
}

// Returns the links of the path from each GPU to `to`: of the shortest paths, the one whose next
// GPU has the lowest number.
std::vector<std::vector<std::uint32_t>> paths_to(const InnerNetwork& network, std::uint32_t gpus,
                                                 std::uint32_t to) {
  std::vector<std::vector<std::uint32_t>> paths(gpus);
  std::vector<std::uint32_t> reached{to};
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const std::uint32_t next = reached[at];
    for (std::uint32_t link = 0; link < network.links.size(); ++link) {
      const InnerLink& own = network.links[link];
      if (own.to == next && own.from != to && paths[own.from].empty()) {
        paths[own.from] = {link};
        paths[own.from].insert(paths[own.from].end(), paths[next].begin(), paths[next].end());
        reached.push_back(own.from);
      }
    }
  }
  return paths;
}

// A leaf switch that both ends of a message share is four links away, so longer paths within a node
// would not be the shortest.
constexpr std::uint32_t kLongestInnerPath = 2;

void find_paths(const GpuPlatform& platform, InnerNetwork& network) {
  std::vector<std::vector<std::vector<std::uint32_t>>> paths;
  for (std::uint32_t to = 0; to < platform.gpus; ++to) {
    paths.push_back(paths_to(network, platform.gpus, to));
  }
  network.first.push_back(0);
  for (std::uint32_t from = 0; from < platform.gpus; ++from) {
    for (std::uint32_t to = 0; to < platform.gpus; ++to) {
      const std::vector<std::uint32_t>& path = paths[to][from];
      const auto links = static_cast<std::uint32_t>(path.size());
      if (from != to && (links == 0 || links > kLongestInnerPath)) {
        throw UserError(fmt::format(
            "gpu: $inner '{}': the GPUs {} and {} of a node are {}; at most {} links may separate "
            "two GPUs",
            platform.inner, from, to,
            links == 0 ? std::string("not joined") : fmt::format("{} links apart", links),
            kLongestInnerPath));
      }
      network.crossed.insert(network.crossed.end(), path.begin(), path.end());
      network.first.push_back(static_cast<std::uint32_t>(network.crossed.size()));
      network.longest = std::max(network.longest, links);
    }
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
      {"fabric", [](const GpuPlatform& of) { return std::string(of.rails ? "rail" : "tree"); },
       [](const std::string& text, GpuPlatform& of) {
         return read_word<&GpuPlatform::rails>(text, "rail", "tree", of);
       }},
      {"rail",
       [](const GpuPlatform& of) {
         return std::string(of.rail_of_receiver ? "receiver" : "sender");
       },
       [](const std::string& text, GpuPlatform& of) {
         return read_word<&GpuPlatform::rail_of_receiver>(text, "receiver", "sender", of);
       }},
      count_field<&GpuPlatform::unit>("unit"),
      rate_field<&GpuPlatform::trunk_bytes_per_s>("trunk_bw"),
      quantity_field<&GpuPlatform::speed_flops_per_s, speed_text, xml_speed>("speed"),
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

GpuLinkFigures link_figures(const GpuPlatform& of) {
  // Half of the latency between two GPUs of a node is that of the last link, the memory.
  const double crossing_s = of.inner_s / 2;
  return {.inner = {of.inner == "switch" ? crossing_s / 2 : crossing_s, of.inner_bytes_per_s},
          .memory = {crossing_s, of.memory_bytes_per_s},
          .pcie = {of.card_s / 2, of.pcie_bytes_per_s},
          .card = {of.card_s / 2 + of.switch_s / 2, of.card_bytes_per_s},
          .trunk = {of.switch_s, of.trunk_bytes_per_s}};
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
  if (platform.unit == 0 || platform.nodes % platform.unit != 0) {
    throw UserError(
        fmt::format("gpu: $unit {}: the {} nodes cannot be divided evenly into units of {} nodes",
                    platform.unit, platform.nodes, platform.unit));
  }
  (void)inner_network(platform);
  const bool alike = platform.inner == "switch" || platform.inner == "mesh";
  if (platform.rails && platform.nodes > 1 && !alike) {
    throw UserError(
        fmt::format("gpu: $inner '{}' with $fabric rail: rails need a switch or a mesh, so that "
                    "each GPU reaches each rail equally well; give $fabric tree",
                    platform.inner));
  }
  for (const auto& [field, value] :
       {std::pair{"$inner_bw", platform.inner_bytes_per_s},
        std::pair{"$inner_lat", platform.inner_s},
        std::pair{"$memory_bw", platform.memory_bytes_per_s},
        std::pair{"$pcie_bw", platform.pcie_bytes_per_s},
        std::pair{"$card_bw", platform.card_bytes_per_s}, std::pair{"$card_lat", platform.card_s},
        std::pair{"$switch_lat", platform.switch_s},
        std::pair{"the bandwidth above a leaf switch", platform.trunk_bytes_per_s},
        std::pair{"$speed", platform.speed_flops_per_s}}) {
    check_positive(field, value);
  }
}

}}  // namespace tutti::platforms
