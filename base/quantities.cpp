#include "base/quantities.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantity_text.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

namespace {

constexpr std::string_view kBytesAccepted =
    "a whole number of bytes, with K, M, G or T (or KiB, MiB, GiB, TiB) for powers of 1024";

bool is_list_or_range(std::string_view text) {
  return text.find("..") != text.npos || text.find(',') != text.npos;
}

// Returns what the user may have meant by a number that is not a count: 1,024, 1e6, 16x8, 4k or
// 64.0. Empty if there is no such number.
std::vector<std::string> likely_counts(std::string_view text) {
  constexpr double kMost = 1e15;
  if (const std::string digits = without_separators(text); !digits.empty()) {
    return {digits};
  }
  if (const std::size_t cross = text.find_first_of("xX*"); cross != text.npos) {
    const auto first = parsed_number<std::uint32_t>(trimmed(text.substr(0, cross)));
    const auto second = parsed_number<std::uint32_t>(trimmed(text.substr(cross + 1)));
    const std::uint64_t product = std::uint64_t{first.value_or(0)} * second.value_or(0);
    return product > 0 ? std::vector{fmt::format("{}", product)} : std::vector<std::string>{};
  }
  const NumberAndUnit split = split_unit(text);
  const auto value = positive_double(split.number);
  if (!value || *value != std::floor(*value) || *value > kMost) {
    return {};
  }
  const auto whole = [](double number) { return fmt::format("{:.0f}", number); };
  if (split.unit.empty()) {
    return {whole(*value)};
  }
  const auto unit = byte_unit(split.unit);
  if (!unit || *unit == 1) {
    return {};
  }
  const double power = std::log2(static_cast<double>(*unit)) / 10;
  return {whole(*value * std::pow(1000.0, power)), whole(*value * static_cast<double>(*unit))};
}

}  // namespace

std::uint32_t parse_count(std::string_view what, std::string_view text, std::uint32_t max) {
  const std::string accepted = fmt::format("a whole number up to {}", max);
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, accepted);
  const auto corrections = [&] {
    return accepted_corrections(likely_counts(plain), [max](const std::string& form) {
      static_cast<void>(parse_count("", form, max));
    });
  };
  if (is_list_or_range(plain)) {
    refuse_or_correct(what, text, "only one number is allowed here, not a list or range",
                      corrections(), accepted);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (plain.empty() || end != plain.data() + plain.size() || error == std::errc::invalid_argument) {
    refuse_or_correct(what, text, "not a whole number", corrections(), accepted);
  }
  if (error == std::errc::result_out_of_range || value > max) {
    refuse_quantity(what, text, "too large", accepted);
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t parse_positive_count(std::string_view what, std::string_view text,
                                   std::uint32_t max) {
  const std::uint32_t count = parse_count(what, text, max);
  if (count == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  return count;
}

namespace {

// Returns what the user may have meant by a text that is not a size: 64K or 64000 for 64KB, and
// 1048576 for 1,048,576 or 1048576 for 1.048576e6.
std::vector<std::string> likely_sizes(std::string_view text) {
  const NumberAndUnit split = split_unit(text);
  const auto value = positive_double(split.number);
  if (value && split.unit.size() == 2 && lower_case(split.unit).back() == 'b') {
    const std::string power_of_1024 = fmt::format("{}{}", split.number, split.unit.front());
    const auto unit = byte_unit(split.unit.substr(0, 1));
    const double power = unit ? std::log2(static_cast<double>(*unit)) / 10 : 0;
    return {power_of_1024, fmt::format("{:.0f}", *value * std::pow(1000.0, power))};
  }
  return split.unit.empty() || !without_separators(text).empty() ? likely_counts(text)
                                                                 : std::vector<std::string>{};
}

}  // namespace

std::uint64_t parse_bytes(std::string_view what, std::string_view text) {
  const std::string plain = plain_ascii(text);
  const auto refuse_size = [&](std::string_view why) {
    refuse_or_correct(what, text, why,
                      accepted_corrections(likely_sizes(plain),
                                           [](const std::string& form) {
                                             static_cast<void>(parse_bytes("", form));
                                           }),
                      kBytesAccepted);
  };
  reject_sign(what, plain, kBytesAccepted);
  if (is_list_or_range(plain)) {
    refuse_size("only one size is allowed here, not a list or range");
  }
  const NumberAndUnit split = split_unit(plain);
  if (!is_plain_decimal(split.number)) {
    refuse_size("not a size");
  }
  const auto unit = byte_unit(split.unit);
  if (!unit) {
    if (split.unit.size() == 2 && split.unit[1] == 'B') {
      refuse_size(fmt::format("{} could mean a power of 1000 or of 1024", split.unit));
    }
    refuse_size(fmt::format("'{}' is not a unit of size", split.unit));
  }
  const std::string too_large = "too large: messages must be smaller than 16 TiB";
  const std::size_t point = std::min(split.number.find('.'), split.number.size());
  std::uint64_t whole = 0;
  const char* const end = split.number.data() + point;
  if (std::from_chars(split.number.data(), end, whole).ec == std::errc::result_out_of_range ||
      whole > (kMostBytes + 1) / *unit) {
    refuse_quantity(what, text, too_large, kBytesAccepted);
  }
  std::uint64_t bytes = whole * *unit;
  if (point < split.number.size()) {
    // The unit is a power of two, so multiplication by it adds no rounding error.
    const double fraction =
        positive_double(split.number.substr(point)).value_or(0) * static_cast<double>(*unit);
    if (fraction != std::floor(fraction)) {
      refuse_quantity(what, text, "not a whole number of bytes", kBytesAccepted);
    }
    bytes += static_cast<std::uint64_t>(fraction);
  }
  if (bytes > kMostBytes) {
    refuse_quantity(what, text, too_large, kBytesAccepted);
  }
  return bytes;
}

double parse_number(std::string_view what, std::string_view text) {
  constexpr std::string_view kAccepted = "a number such as 0, 0.5 or 2";
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, kAccepted);
  const auto value = is_plain_decimal(plain) ? positive_double(plain) : std::nullopt;
  if (!value) {
    std::vector<std::string> forms;
    // A comma before three digits probably separates thousands, not decimals.
    if (const std::size_t comma = plain.find(',');
        comma != plain.npos && without_separators(plain).empty()) {
      forms.push_back(fmt::format("{}.{}", plain.substr(0, comma), plain.substr(comma + 1)));
    } else if (const auto share = positive_double(plain.substr(0, plain.find('%')));
               share && plain.ends_with('%')) {
      forms.push_back(fmt::format("{:g}", *share / 100));
    } else if (const auto number = positive_double(plain)) {
      forms.push_back(fmt::format("{:f}", *number));
    }
    refuse_or_correct(
        what, text, "not a plain number",
        accepted_corrections(
            forms, [](const std::string& form) { static_cast<void>(parse_number("", form)); }),
        kAccepted);
  }
  return *value;
}

double parse_percentage(std::string_view what, std::string_view text) {
  constexpr std::string_view kAccepted = "a percentage above 0% and below 100%, such as 80%";
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, kAccepted);
  const std::string_view digits =
      trimmed(std::string_view(plain).substr(0, plain.size() - (plain.ends_with('%') ? 1 : 0)));
  const auto value = is_plain_decimal(digits) ? positive_double(digits) : std::nullopt;
  if (!value || !plain.ends_with('%')) {
    const auto share = value.value_or(0);
    const std::vector<std::string> forms{fmt::format("{:g}%", share < 1 ? share * 100 : share)};
    refuse_or_correct(
        what, text, "not a percentage",
        accepted_corrections(
            forms, [](const std::string& form) { static_cast<void>(parse_percentage("", form)); }),
        kAccepted);
  }
  constexpr double kAll = 100;
  if (!(*value > 0 && *value < kAll)) {
    refuse_quantity(what, text, "out of range", kAccepted);
  }
  return *value / kAll;
}

}}  // namespace tutti::base
