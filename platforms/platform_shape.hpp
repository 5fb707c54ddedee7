// Topology of a platform, for drawings of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "platforms/link_ends.hpp"

namespace tutti { inline namespace platforms {

struct PlatformShape {
  // "star", "torus", "fat_tree", "dragonfly" or "gpus"; "generic" if only the routes are known.
  std::string_view kind = "generic";
  std::vector<std::uint32_t> dimensions;  // sides of a torus
  std::uint32_t hosts_per_group = 0;      // only for dragonflies and units of GPUs
  // Returns the ends of a link; empty if only the routes tell them.
  std::function<LinkEnds(std::uint32_t link)> link_ends = {};
};

}}  // namespace tutti::platforms
