#include "base/quantity_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

void refuse_or_correct(std::string_view what, std::string_view text, std::string_view why,
                       const std::string& corrections, std::string_view accepted) {
  throw UserError(corrections.empty()
                      ? fmt::format("{} '{}': {}; expected {}", what, text, why, accepted)
                      : fmt::format("{} '{}': {}; {}", what, text, why, corrections));
}

void refuse_quantity(std::string_view what, std::string_view text, std::string_view why,
                     std::string_view accepted) {
  throw UserError(fmt::format("{} '{}': {}; expected {}", what, text, why, accepted));
}

void reject_sign(std::string_view what, std::string_view text, std::string_view accepted) {
  if (!text.empty() && text.front() == '-') {
    refuse_quantity(what, text, "must not be negative", accepted);
  }
}

NumberAndUnit split_unit(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() &&
         (is_digit(text[end]) || text[end] == '.' || text[end] == '-' || text[end] == '+')) {
    ++end;
  }
  // An E begins an exponent if digits follow; otherwise, it belongs to the unit.
  if (end > 0 && end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t digits = end + 1;
    if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) {
      ++digits;
    }
    const std::size_t first_digit = digits;
    while (digits < text.size() && is_digit(text[digits])) {
      ++digits;
    }
    if (digits > first_digit) {
      end = digits;
    }
  }
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::string without_separators(std::string_view number) {
  std::string digits;
  std::size_t in_group = 0;
  bool separated = false;
  for (const char c : number) {
    if (is_digit(c)) {
      digits += c;
      ++in_group;
      continue;
    }
    if (std::string_view(",'_ ").find(c) == std::string_view::npos || in_group == 0 ||
        (separated ? in_group != 3 : in_group > 3)) {
      return "";
    }
    separated = true;
    in_group = 0;
  }
  return separated && in_group == 3 ? digits : "";
}

bool is_plain_decimal(std::string_view number) {
  std::size_t points = 0;
  for (const char c : number) {
    points += c == '.' ? 1 : 0;
    if (c != '.' && !is_digit(c)) {
      return false;
    }
  }
  return points <= 1 && !number.empty() && number.front() != '.' && number.back() != '.';
}

std::optional<double> positive_double(std::string_view number) {
  const auto value = parsed_number<double>(number);
  return value && std::isfinite(*value) && !std::signbit(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> byte_unit(std::string_view unit) {
  constexpr std::string_view kLetters = "kmgt";
  const std::string lower = lower_case(unit);
  if (unit.empty() || unit == "B" || lower == "byte" || lower == "bytes") {
    return 1;
  }
  const std::size_t power = kLetters.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "ib" && rest != "i")) {
    return std::nullopt;
  }
  return std::uint64_t{1} << (10 * (power + 1));
}

}}  // namespace tutti::base
