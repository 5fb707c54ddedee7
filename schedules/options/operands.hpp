// The operand on the left of the operator when two ranks combine the data that they exchange.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class Operands : std::uint8_t {
  by_rank,         // the lower rank's: keeps rank order
  received_first,  // the received one: MPICH's branch for commutative operators
};
inline constexpr std::array<std::string_view, 2> kOperandsNames{"by_rank", "received_first"};

}  // namespace tutti::inline schedules
