// The order in which NCCL's rings pass the GPUs of a node. Ring c enters a node at GPU c.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class RingOrder : std::uint8_t {
  // Down from GPU c to GPU c+1. The ring leaves over the card of GPU c.
  own,
  // Down if c is even, otherwise up. The ring leaves over the card of GPU c, which is also near the
  // last GPU of the ring.
  paired,
  // As paired, but the ring leaves over the card of its last GPU, and enters the next node over the
  // card with the same number: on nodes with odd numbers, rings c and c xor 1 change places.
  crossed,
};
inline constexpr std::array<std::string_view, 3> kRingOrderNames{"own", "paired", "crossed"};

}}  // namespace tutti::schedules
