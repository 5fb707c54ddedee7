// Arithmetic on 64-bit integers. A result that does not fit into 64 bits is an error. No result is
// ever kUnset.
#pragma once

#include <cstdint>

#include "schedules/notation/program/run_state.hpp"

namespace tutti { inline namespace schedules { namespace program {

// Returns a / b, rounded down; C++'s own division rounds towards zero. b must not be 0.
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

// Returns a modulo b, with the sign of b, which must not be 0.
inline std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if ((static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)) >> 32U == 0) {
    return static_cast<std::int64_t>(static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b));
  }
  if (b == -1) {
    return 0;
  }
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The functions below report errors through `state`, which knows the place in the program.
[[noreturn]] void fail_range(const RunState& state, const char* symbol, std::int64_t b,
                             std::int64_t c);
[[noreturn]] void fail_divisor(const RunState& state, const char* what);
inline void check_divisor(const RunState& state, std::int64_t divisor, const char* what) {
  if (divisor == 0) [[unlikely]] {
    fail_divisor(state, what);
  }
}
[[nodiscard]] std::int64_t power(const RunState& state, std::int64_t base, std::int64_t exponent);
[[nodiscard]] std::int64_t shift_left(const RunState& state, std::int64_t value, std::int64_t by);
[[nodiscard]] std::int64_t shift_right(const RunState& state, std::int64_t value, std::int64_t by);
// Returns the binary logarithm, rounded up if `up`, otherwise down.
[[nodiscard]] std::int64_t log2(const RunState& state, std::int64_t value, bool up);

}}}  // namespace tutti::schedules::program
