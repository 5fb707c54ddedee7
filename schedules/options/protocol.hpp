// NCCL's protocols. They determine how the data of a channel are cut.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Protocol : std::uint8_t {
  // Whole pieces of a large buffer, which two ranks hand over with a flag.
  simple,
  // Lines of 8 bytes, 4 of which are data.
  ll,
  // Lines of 128 bytes, 120 of which are data.
  ll128,
};
inline constexpr std::array<std::string_view, 3> kProtocolNames{"simple", "ll", "ll128"};

}}  // namespace tutti::schedules
