#include "platforms/network_models.hpp"

#include <algorithm>
#include <array>

namespace tutti::inline platforms {

namespace {

constexpr std::array<std::string_view, 4> kNetworkModels{"hockney", "lv08", "smpi", "ib"};

}  // namespace

std::span<const std::string_view> network_models() { return kNetworkModels; }

bool is_network_model(const std::string& name) {
  return std::find(kNetworkModels.begin(), kNetworkModels.end(), name) != kNetworkModels.end();
}

}  // namespace tutti::inline platforms
