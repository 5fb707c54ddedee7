// Parses --placement, which chooses the host of each rank unless --hosts names the hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace tutti::inline requests {

struct PlacementSaid {
  Placement placement = Placement::block;
  std::optional<std::uint32_t> seed;  // SEED of --placement random:SEED
};

// Parses the value of --placement. Throws UserError.
[[nodiscard]] PlacementSaid parse_placement(const std::string& text);
// Returns the values of --placement, except random:SEED.
[[nodiscard]] std::vector<std::string> placement_names();

}  // namespace tutti::inline requests
