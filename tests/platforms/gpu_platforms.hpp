// Random clusters of GPUs for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "platforms/gpu_platform.hpp"
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

// Returns the file without hosts, links and routes, which is the form of files with many GPUs.
inline std::string only_description(const std::string& xml) {
  const std::size_t begin = xml.find("<host");
  return xml.substr(0, begin) + xml.substr(xml.find("</zone>"));
}

}  // namespace tutti::gpu_platforms
