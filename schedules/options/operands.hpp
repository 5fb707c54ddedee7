// The data that become the left operand when two ranks exchange data and each combines its own with
// the received ones.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Operands : std::uint8_t {
  // The data of the lower rank. Keeps rank order.
  by_rank,
  // The received data, as in MPICH's code for commutative operators.
  received_first,
};
inline constexpr std::array<std::string_view, 2> kOperandsNames{"by_rank", "received_first"};

}}  // namespace tutti::schedules
