// Topology of a platform, for drawings of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti { inline namespace platforms {

struct PlatformShape {
  // "star", "torus", "fat_tree" or "dragonfly"; "generic" if only the routes are known.
  std::string_view kind = "generic";
  std::vector<std::uint32_t> dimensions;  // sides of a torus
  std::uint32_t hosts_per_group = 0;      // only for dragonflies
};

}}  // namespace tutti::platforms
