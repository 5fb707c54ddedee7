// How the readers of quantities.hpp take texts apart, and how they refuse them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

// Throws a UserError that offers `corrections`, or says what is accepted if there is none.
[[noreturn]] void refuse_or_correct(std::string_view what, std::string_view text,
                                    std::string_view why, const std::string& corrections,
                                    std::string_view accepted);
[[noreturn]] void refuse_quantity(std::string_view what, std::string_view text,
                                  std::string_view why, std::string_view accepted);
void reject_sign(std::string_view what, std::string_view text, std::string_view accepted);

// A number and the unit after it.
struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};

[[nodiscard]] NumberAndUnit split_unit(std::string_view text);

// Returns `number` without the commas, apostrophes, underscores or blanks that separate its
// thousands, as in 1,024; empty if they do not separate groups of three digits.
[[nodiscard]] std::string without_separators(std::string_view number);

// True if `number` consists of digits and at most one decimal point, without a sign or an exponent.
[[nodiscard]] bool is_plain_decimal(std::string_view number);

[[nodiscard]] std::optional<double> positive_double(std::string_view number);

// Returns the bytes of a unit such as K or MiB; nothing if it is unknown.
[[nodiscard]] std::optional<std::uint64_t> byte_unit(std::string_view unit);

}}  // namespace tutti::base
