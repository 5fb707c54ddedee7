#include "platforms/network_models.hpp"

#include <array>

namespace tutti { inline namespace platforms {

namespace {

constexpr std::array<std::string_view, 4> kNetworkModels{"hockney", "lv08", "smpi", "ib"};

}  // namespace

std::span<const std::string_view> network_models() { return kNetworkModels; }

}}  // namespace tutti::platforms
