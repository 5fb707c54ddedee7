// Known GPUs, with the nodes in which they are sold.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "platforms/gpu_platform.hpp"

namespace tutti { inline namespace platforms {

// All rates are those of one direction.
struct GpuPreset {
  std::string_view name;  // on the command line
  std::string_view node;  // in words
  std::uint32_t gpus = 8;
  std::string_view inner;        // as GpuPlatform::inner
  double wire_bytes_per_s = 0;   // of a GPU at the switch, or of one cable of a pair
  double inner_bytes_per_s = 0;  // what a ring reaches of it
  std::uint32_t cards = 8;
  double card_bytes_per_s = 0;
  double pcie_bytes_per_s = 0;
  double memory_bytes_per_s = 0;  // of the GPU's memory, for reading and writing together
  bool rails = true;
  std::uint32_t unit = 32;  // most nodes at the same leaf switches
  // True: no nodes and cards; links between neighbours form a torus.
  bool torus = false;
};

[[nodiscard]] std::span<const GpuPreset> gpu_presets();

// Returns nodes with the figures of the preset and with usual latencies. All nodes are below the
// same leaf switches.
[[nodiscard]] GpuPlatform usual_platform(const GpuPreset& preset, std::uint32_t nodes);
// Returns the elements that a GPU sums per second, if its memory's bandwidth limits this. The
// bandwidth is that of reading and writing together.
[[nodiscard]] double summing_speed(double memory_bytes_per_s);

}}  // namespace tutti::platforms
