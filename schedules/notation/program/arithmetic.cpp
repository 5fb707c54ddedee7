#include "schedules/notation/program/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tutti { inline namespace schedules { namespace program {

void fail_range(const RunState& state, const char* symbol, std::int64_t b, std::int64_t c) {
  state.fail(fmt::format("{} {} {} is too large; numbers go up to {}", b, symbol, c, INT64_MAX));
}

void fail_divisor(const RunState& state, const char* what) {
  state.fail(fmt::format("{} by 0", what));
}

std::int64_t power(const RunState& state, std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    state.fail(fmt::format("{}^{}: the exponent must not be negative", base, exponent));
  }
  std::int64_t result = 1;
  if (base == 0 || base == 1 || base == -1) {
    return exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
  }
  for (std::int64_t i = 0; i < exponent; ++i) {  // at most 64 iterations
    if (__builtin_mul_overflow(result, base, &result) || result == kUnset) {
      fail_range(state, "^", base, exponent);
    }
  }
  return result;
}

std::int64_t shift_left(const RunState& state, std::int64_t value, std::int64_t by) {
  if (by < 0) {
    state.fail(fmt::format("{} << {}: the number of bits must not be negative", value, by));
  }
  if (value == 0) {
    return 0;
  }
  std::int64_t result = 0;
  if (by > 62 ||
      __builtin_mul_overflow(value, std::int64_t{1} << static_cast<unsigned>(by), &result) ||
      result == kUnset) {
    fail_range(state, "<<", value, by);
  }
  return result;
}

std::int64_t shift_right(const RunState& state, std::int64_t value, std::int64_t by) {
  if (by < 0) {
    state.fail(fmt::format("{} >> {}: the number of bits must not be negative", value, by));
  }
  return value >> static_cast<unsigned>(std::min<std::int64_t>(by, 63));
}

std::int64_t log2(const RunState& state, std::int64_t value, bool up) {
  if (value < 1) {
    state.fail(fmt::format("log2 of {}: the argument must be at least 1", value));
  }
  const auto bits = static_cast<std::uint64_t>(value);
  const auto width = static_cast<std::int64_t>(std::bit_width(bits));
  return up && !std::has_single_bit(bits) ? width : width - 1;
}

}}}  // namespace tutti::schedules::program
