#include "base/quantities.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/text_lines.hpp"

namespace tutti::inline base {

namespace {

constexpr std::size_t kMaxListed = 1'000'000;
// Limits of times. Beyond these limits, the product or quotient of a time and a number of bytes or
// operations could overflow or underflow. For a rate, the time of one byte must be within the
// limits.
constexpr double kShortestSeconds = 1e-24;
constexpr double kLongestSeconds = 1e9;

constexpr std::string_view kBytesAccepted =
    "a whole number of bytes, with K, M, G or T (or KiB, MiB, GiB, TiB) for powers of 1024";
constexpr std::string_view kTimeAccepted = "a time such as 1.5us, 200ns, 2ms or 3s";
constexpr std::string_view kRateAccepted = "a rate such as 10Gbps (bits) or 1.25GBps (bytes)";

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view why,
                         std::string_view accepted) {
  throw UserError(fmt::format("{} '{}': {}; expected {}", what, text, why, accepted));
}

// A number and the unit after it.
struct Split {
  std::string_view number;
  std::string_view unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Split split_unit(std::string_view text) {
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
  return {text.substr(0, end), text.substr(end)};
}

// True if `number` consists of digits and at most one decimal point, without a sign or an exponent.
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
  constexpr std::string_view kLetters = "KMGT";
  if (unit.empty() || unit == "B") {
    return 1;
  }
  const std::size_t power = kLetters.find(unit.front() == 'k' ? 'K' : unit.front());
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "i")) {
    return std::nullopt;
  }
  return std::uint64_t{1} << (10 * (power + 1));
}

std::optional<double> time_unit_s(std::string_view name) {
  struct TimeUnit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array kUnits{TimeUnit{"", 1},      TimeUnit{"s", 1},     TimeUnit{"ms", 1e-3},
                              TimeUnit{"us", 1e-6}, TimeUnit{"ns", 1e-9}, TimeUnit{"ps", 1e-12},
                              TimeUnit{"min", 60},  TimeUnit{"h", 3600}};
  for (const TimeUnit& unit : kUnits) {
    if (unit.name == name) {
      return unit.seconds;
    }
  }
  return std::nullopt;
}

void reject_sign(std::string_view what, std::string_view text, std::string_view accepted) {
  if (!text.empty() && text.front() == '-') {
    refuse(what, text, "must not be negative", accepted);
  }
}

bool is_list_or_range(std::string_view text) {
  return text.find("..") != text.npos || text.find(',') != text.npos;
}

// Throws UserError on a range written as 4-64 or 4:64.
void check_range_sign(std::string_view what, std::string_view item) {
  const std::size_t sign = item.find_first_of("-:", 1);
  if (item.empty() || sign == item.npos || sign + 1 == item.size() || !is_digit(item.front()) ||
      !is_digit(item[sign + 1]) || !std::isalnum(static_cast<unsigned char>(item[sign - 1]))) {
    return;
  }
  const std::string_view first = item.substr(0, sign);
  const std::string_view last = item.substr(sign + 1);
  throw UserError(
      fmt::format("{0} '{1}': not a number or range; write {2}..{3}, {2}..{3}*2 or {2},{3}", what,
                  item, first, last));
}

// Throws UserError if the unit is missing. 0 needs no unit, and a number with an exponent (1e-6) is
// in seconds.
void check_unit(std::string_view what, std::string_view text, const Split& split, double value,
                std::string_view likely) {
  if (split.unit.empty() && value != 0 && text.find_first_of("eE") == text.npos) {
    throw UserError(fmt::format("{} '{}': no unit; write {}{}, or {}s for seconds", what, text,
                                text, likely, text));
  }
}

// Reads a list such as "a,b..c,d..e*f" into numbers. parse_one() reads each number.
template <typename Number, typename ParseOne>
std::vector<Number> parse_list(std::string_view what, std::string_view text, ParseOne&& parse_one) {
  std::vector<Number> numbers;
  const auto add = [&](std::uint64_t number) {
    if (numbers.size() == kMaxListed) {
      throw UserError(
          fmt::format("{} '{}': the list has more than {} values", what, text, kMaxListed));
    }
    numbers.push_back(static_cast<Number>(number));
  };
  for (const std::string_view item : split(text, ',')) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      check_range_sign(what, item);
      add(parse_one(item));
      continue;
    }
    std::string_view last_text = item.substr(dots + 2);
    std::uint64_t factor = 1;
    if (const std::size_t star = last_text.find('*'); star != std::string_view::npos) {
      factor =
          parse_count(fmt::format("{} '{}': the factor", what, text), last_text.substr(star + 1));
      last_text = last_text.substr(0, star);
      if (factor < 2) {
        throw UserError(fmt::format("{} '{}': the factor after * is {}; it must be 2 or more", what,
                                    text, factor));
      }
    }
    const std::uint64_t first = parse_one(item.substr(0, dots));
    const std::uint64_t last = parse_one(last_text);
    if (first > last) {
      throw UserError(fmt::format("{} '{}': the range runs backwards; write the smaller end first",
                                  what, text));
    }
    if (factor > 1 && first == 0) {
      throw UserError(fmt::format("{} '{}': 0 times {} stays 0; start the range at 1 or more", what,
                                  text, factor));
    }
    if (factor == 1) {
      for (std::uint64_t number = first; number <= last; ++number) {
        add(number);
      }
      continue;
    }
    add(first);
    for (std::uint64_t number = first; number <= last / factor;) {
      number *= factor;
      add(number);
    }
  }
  return numbers;
}

}  // namespace

std::uint32_t parse_count(std::string_view what, std::string_view text, std::uint32_t max) {
  const std::string accepted = fmt::format("a whole number up to {}", max);
  reject_sign(what, text, accepted);
  if (is_list_or_range(text)) {
    refuse(what, text, "only one number is allowed here, not a list or range", accepted);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument) {
    refuse(what, text, "not a whole number", accepted);
  }
  if (error == std::errc::result_out_of_range || value > max) {
    refuse(what, text, "too large", accepted);
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

std::uint64_t parse_bytes(std::string_view what, std::string_view text) {
  reject_sign(what, text, kBytesAccepted);
  if (is_list_or_range(text)) {
    refuse(what, text, "only one size is allowed here, not a list or range", kBytesAccepted);
  }
  const Split split = split_unit(text);
  if (!is_plain_decimal(split.number)) {
    refuse(what, text, "not a size", kBytesAccepted);
  }
  const auto unit = byte_unit(split.unit);
  if (!unit) {
    if (split.unit.size() == 2 && split.unit[1] == 'B') {
      refuse(what, text, fmt::format("{} could mean a power of 1000 or of 1024", split.unit),
             kBytesAccepted);
    }
    refuse(what, text, fmt::format("'{}' is not a unit of size", split.unit), kBytesAccepted);
  }
  const std::string too_large = "too large: messages must be smaller than 16 TiB";
  const std::size_t point = std::min(split.number.find('.'), split.number.size());
  std::uint64_t whole = 0;
  const char* const end = split.number.data() + point;
  if (std::from_chars(split.number.data(), end, whole).ec == std::errc::result_out_of_range ||
      whole > (kMostBytes + 1) / *unit) {
    refuse(what, text, too_large, kBytesAccepted);
  }
  std::uint64_t bytes = whole * *unit;
  if (point < split.number.size()) {
    // The unit is a power of two, so multiplication by it adds no rounding error.
    const double fraction =
        positive_double(split.number.substr(point)).value_or(0) * static_cast<double>(*unit);
    if (fraction != std::floor(fraction)) {
      refuse(what, text, "not a whole number of bytes", kBytesAccepted);
    }
    bytes += static_cast<std::uint64_t>(fraction);
  }
  if (bytes > kMostBytes) {
    refuse(what, text, too_large, kBytesAccepted);
  }
  return bytes;
}

double parse_number(std::string_view what, std::string_view text) {
  constexpr std::string_view kAccepted = "a number such as 0, 0.5 or 2";
  reject_sign(what, text, kAccepted);
  const auto value = is_plain_decimal(text) ? positive_double(text) : std::nullopt;
  if (!value) {
    refuse(what, text, "not a plain number", kAccepted);
  }
  return *value;
}

double parse_percentage(std::string_view what, std::string_view text) {
  constexpr std::string_view kAccepted = "a percentage above 0% and below 100%, such as 80%";
  reject_sign(what, text, kAccepted);
  const std::string_view digits = text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
  const auto value = is_plain_decimal(digits) ? positive_double(digits) : std::nullopt;
  if (!value || digits.size() == text.size()) {
    refuse(what, text, "not a percentage", kAccepted);
  }
  constexpr double kAll = 100;
  if (!(*value > 0 && *value < kAll)) {
    refuse(what, text, "out of range", kAccepted);
  }
  return *value / kAll;
}

std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                        std::uint32_t max) {
  return parse_list<std::uint32_t>(
      what, text, [what, max](std::string_view item) { return parse_count(what, item, max); });
}

std::vector<std::uint64_t> parse_byte_list(std::string_view what, std::string_view text) {
  return parse_list<std::uint64_t>(
      what, text, [what](std::string_view item) { return parse_bytes(what, item); });
}

double parse_time_s(std::string_view what, std::string_view text) {
  reject_sign(what, text, kTimeAccepted);
  const Split split = split_unit(text);
  const auto value = positive_double(split.number);
  if (!value) {
    refuse(what, text, "not a time", kTimeAccepted);
  }
  const auto unit_s = time_unit_s(split.unit);
  if (!unit_s) {
    refuse(what, text, fmt::format("'{}' is not a unit of time", split.unit), kTimeAccepted);
  }
  check_unit(what, text, split, *value, "us");
  const double seconds = *value * *unit_s;
  if (*value != 0 && !(seconds >= kShortestSeconds && seconds <= kLongestSeconds)) {
    refuse(what, text, "must be 0 or between 1e-24 s and 1e9 s", kTimeAccepted);
  }
  return seconds;
}

double parse_rate(std::string_view what, std::string_view text) {
  reject_sign(what, text, kRateAccepted);
  const Split split = split_unit(text);
  const auto value = positive_double(split.number);
  std::string_view unit = split.unit;
  if (!value || *value == 0) {
    refuse(what, text, "not a rate above 0", kRateAccepted);
  }
  if (unit.empty()) {
    // The suggested prefix is G, unless the number is so large that the user probably meant no
    // prefix.
    const std::string_view prefix = *value < 1e5 ? "G" : "";
    throw UserError(fmt::format("{} '{}': no unit; write {}{}bps (bits) or {:g}{}Bps (bytes)", what,
                                text, text, prefix, *value / 8, prefix));
  }
  if (unit.size() < 3 || unit.substr(unit.size() - 2) != "ps") {
    refuse(what, text, fmt::format("'{}' is not a unit of rate", split.unit), kRateAccepted);
  }
  unit.remove_suffix(2);
  const double bytes = unit.back() == 'b' ? 0.125 : 1;
  const bool has_base = unit.back() == 'b' || unit.back() == 'B';
  unit.remove_suffix(1);
  const bool binary = !unit.empty() && unit.back() == 'i';
  if (binary) {
    unit.remove_suffix(1);
  }
  constexpr std::string_view kPrefixes = "kMGT";
  std::size_t power = 0;
  if (!unit.empty()) {
    // `power` becomes 0 if the prefix is unknown.
    power = kPrefixes.find(unit.front() == 'K' ? 'k' : unit.front()) + 1;
  }
  if (!has_base || unit.size() > 1 || (power == 0 && (binary || !unit.empty()))) {
    refuse(what, text, fmt::format("'{}' is not a unit of rate", split.unit), kRateAccepted);
  }
  const double rate =
      *value * bytes * std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power));
  if (!(rate >= 1 / kLongestSeconds && rate <= 1 / kShortestSeconds)) {
    refuse(what, text, "must be between 1e-9 and 1e24 bytes per second", kRateAccepted);
  }
  return rate;
}

double parse_s_per_byte(std::string_view what, std::string_view text) {
  const std::string accepted = fmt::format("a time per byte such as 0.8ns, or {}", kRateAccepted);
  reject_sign(what, text, accepted);
  const Split split = split_unit(text);
  const std::string_view unit = split.unit;
  if (unit.size() > 2 && unit.substr(unit.size() - 2) == "ps") {
    return 1 / parse_rate(what, text);
  }
  const auto value = positive_double(split.number);
  if (!value || !time_unit_s(unit)) {
    refuse(what, text, "not a time per byte", accepted);
  }
  check_unit(what, text, split, *value, "ns");
  return parse_time_s(what, text);
}

}  // namespace tutti::inline base
