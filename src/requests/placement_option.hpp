// --placement: which host each rank is on, where nobody names hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace tutti::inline requests {

struct PlacementSaid {
  Placement placement = Placement::block;
  std::optional<std::uint32_t> seed;  // of random:SEED
};

// Throws UserError.
[[nodiscard]] PlacementSaid parse_placement(const std::string& text);
// The words that it takes, but for random:SEED.
[[nodiscard]] std::vector<std::string> placement_names();

}  // namespace tutti::inline requests
