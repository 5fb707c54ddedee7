// Numbers of a step's description: counts, sizes and times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti { inline namespace steps {

enum class Unit : std::uint8_t { none, bytes, seconds, flops, flops_per_s, bytes_per_s };

struct Quantity {
  double value = 0;  // in bytes, seconds or operations, if it has a unit
  Unit unit = Unit::none;
  std::uint32_t axes = 0;  // bits of the axes of the layout on whose sizes the value depends
};

// Reads a number with its unit, such as 32, 436.2MB, 64KiB or 26.2ms. Throws UserError, which says
// what is accepted.
[[nodiscard]] Quantity parse_quantity(std::string_view text);

// Return the result; nothing if the units do not go together.
[[nodiscard]] std::optional<Quantity> sum_of(Quantity a, Quantity b);
[[nodiscard]] std::optional<Quantity> difference_of(Quantity a, Quantity b);
[[nodiscard]] std::optional<Quantity> product_of(Quantity a, Quantity b);
[[nodiscard]] std::optional<Quantity> quotient_of(Quantity a, Quantity b);

// Returns "a number", "a size" or "a time".
[[nodiscard]] std::string_view in_words(Unit unit);

// Returns a number that is whole up to rounding errors as an integer; nothing if it is negative,
// not whole or above `most`.
[[nodiscard]] std::optional<std::uint64_t> whole_number(double value, std::uint64_t most);

}}  // namespace tutti::steps
