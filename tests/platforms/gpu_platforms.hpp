// Random clusters of GPUs for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "platforms/gpu_platform.hpp"
#include "platforms/gpu_presets.hpp"
#include "tests/platforms/route_differences.hpp"

namespace tutti::gpu_platforms {

using route_differences::Random;

// Returns a platform of at most `most` GPUs. All figures are whole numbers in the units of the
// file.
inline GpuPlatform random_gpus(Random& random, std::uint32_t most) {
  GpuPlatform made;
  const std::uint32_t share = random(1, 3);
  made.cards = random(1, 8);
  made.gpus = made.cards * share;
  made.unit = random(1, 4);
  made.nodes = made.unit * random(1, 6);
  while (made.hosts() > most) {
    --made.nodes;
    made.unit = 1;
  }
  // Every second one has rails.
  made.fabric = static_cast<GpuFabric>(std::max(random(0, 3), 1U) - 1);
  const std::uint32_t units_of_pod = random(1, 3);
  if (made.fabric != GpuFabric::dragonfly && made.units() % units_of_pod == 0) {
    made.pod = made.unit * units_of_pod;
  }
  if (!made.has_pods()) {
    made.pod = 0;
  }
  made.planes = random(1, 3);
  made.lost_planes = random(0, made.planes - 1);
  made.rail_of_receiver = random(0, 1) == 0;
  made.inner = random.one_of("switch", "mesh");
  if (!made.has_rails() && made.gpus > 2 && random(0, 1) == 0) {
    made.inner = "0-1*2";  // a star: two links between any two others
    for (std::uint32_t gpu = 2; gpu < made.gpus; ++gpu) {
      made.inner += ",0-" + std::to_string(gpu);
    }
  }
  const auto rate = [&random] { return 1e9 * random(1, 99); };
  const auto time = [&random] { return 4e-9 * random(1, 500); };
  made.inner_bytes_per_s = rate();
  made.inner_s = time();
  made.memory_bytes_per_s = rate();
  made.pcie_bytes_per_s = rate();
  made.card_bytes_per_s = rate();
  made.card_s = time();
  made.switch_s = time();
  made.trunk_bytes_per_s = rate();
  made.pod_bytes_per_s = rate();
  made.pair_bytes_per_s = rate();
  made.pair_s = time();
  made.speed_flops_per_s = 1e9 * random(1, 99);
  made.in_network = made.inner == "switch" ? random.one_of("", "", "yes", "50GBps") : "";
  return made;
}

// Returns a cluster of a known GPU with at most `most` GPUs, if a node has at most half as many,
// and with tapers of 1:1 to 1:4.
inline GpuPlatform known_gpus(const GpuPreset& preset, Random& random, std::uint32_t most) {
  GpuPlatform made;
  made.gpus = preset.gpus;
  made.cards = preset.cards;
  made.unit = random(1, std::max(1U, most / made.gpus / 2));
  made.nodes = made.unit * random(1, std::max(1U, most / made.gpus / made.unit));
  made.inner = preset.inner;
  made.fabric = preset.rails        ? GpuFabric::rail
                : random(0, 1) == 0 ? GpuFabric::tree
                                    : GpuFabric::dragonfly;
  made.rail_of_receiver = random(0, 1) == 0;
  made.inner_bytes_per_s = preset.inner_bytes_per_s;
  made.inner_s = 1e-6;
  made.memory_bytes_per_s = preset.memory_bytes_per_s / 2;
  made.pcie_bytes_per_s = preset.pcie_bytes_per_s;
  made.card_bytes_per_s = preset.card_bytes_per_s;
  made.card_s = 5e-7;
  made.switch_s = 1.3e-7;
  const double cards_of_leaf = made.unit * (made.has_rails() ? 1.0 : made.cards);
  made.trunk_bytes_per_s = cards_of_leaf * made.card_bytes_per_s / random(1, 4);
  if (made.fabric != GpuFabric::dragonfly && made.units() % 2 == 0 && random(0, 1) == 0) {
    made.pod = made.nodes / 2;
  }
  made.pod_bytes_per_s = made.units() / 2.0 * made.trunk_bytes_per_s / random(1, 4);
  made.pair_bytes_per_s = made.trunk_bytes_per_s / std::max(1U, made.units() - 1);
  made.pair_s = 1e-6;
  made.speed_flops_per_s = preset.memory_bytes_per_s / 12;
  return made;
}

inline GpuPlatform random_known_gpus(Random& random, std::uint32_t most) {
  const auto presets = gpu_presets();
  while (true) {
    const GpuPreset& preset = presets[random(0, static_cast<std::uint32_t>(presets.size()) - 1)];
    if (!preset.torus) {
      return known_gpus(preset, random, most);
    }
  }
}

// Returns the file without hosts, links and routes, which is the form of files with many GPUs.
inline std::string only_description(const std::string& xml) {
  const std::size_t begin = xml.find("<host");
  return xml.substr(0, begin) + xml.substr(xml.find("</zone>"));
}

}  // namespace tutti::gpu_platforms
