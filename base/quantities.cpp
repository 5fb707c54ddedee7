#include "base/quantities.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

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

// Throws a UserError that offers `corrections`, or says what is accepted if there is none.
[[noreturn]] void refuse_or_correct(std::string_view what, std::string_view text,
                                    std::string_view why, const std::string& corrections,
                                    std::string_view accepted) {
  throw UserError(corrections.empty()
                      ? fmt::format("{} '{}': {}; expected {}", what, text, why, accepted)
                      : fmt::format("{} '{}': {}; {}", what, text, why, corrections));
}

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
  return {text.substr(0, end), trimmed(text.substr(end))};
}

// Returns `number` without the commas, apostrophes, underscores or blanks that separate its
// thousands, as in 1,024; empty if they do not separate groups of three digits.
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

std::optional<double> time_unit_s(std::string_view name) {
  struct TimeUnit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array kUnits{
      TimeUnit{"", 1},      TimeUnit{"s", 1},       TimeUnit{"ms", 1e-3},   TimeUnit{"us", 1e-6},
      TimeUnit{"ns", 1e-9}, TimeUnit{"ps", 1e-12},  TimeUnit{"min", 60},    TimeUnit{"h", 3600},
      TimeUnit{"sec", 1},   TimeUnit{"msec", 1e-3}, TimeUnit{"usec", 1e-6}, TimeUnit{"nsec", 1e-9}};
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

// Returns the ends of a range written as 4-64 or 4:64; nothing if `item` is not such a range.
std::optional<std::pair<std::string_view, std::string_view>> ends_of_range(std::string_view item) {
  const std::size_t sign = item.find_first_of("-:", 1);
  if (item.empty() || sign == item.npos || sign + 1 == item.size() || !is_digit(item.front()) ||
      !is_digit(item[sign + 1]) || !std::isalnum(static_cast<unsigned char>(item[sign - 1]))) {
    return std::nullopt;
  }
  return std::pair{item.substr(0, sign), item.substr(sign + 1)};
}

// Throws UserError if the unit is missing. 0 needs no unit, and a number with an exponent (1e-6) is
// in seconds.
void check_unit(std::string_view what, std::string_view text, const Split& split, double value,
                std::string_view likely) {
  if (split.unit.empty() && value != 0 && split.number.find_first_of("eE") == text.npos) {
    throw UserError(fmt::format("{0} '{1}': no unit; write {2}{3}, or {2}s for seconds", what, text,
                                split.number, likely));
  }
}

// Reads a list such as "a,b..c,d..e*f" into numbers.
template <typename Number>
class ListReader {
 public:
  // `parse_one` reads a number that is at most `max`.
  ListReader(std::string_view what, std::string_view text,
             Number (*parse_one)(std::string_view, std::string_view, std::uint32_t),
             std::uint32_t max)
      : what_(what), text_(text), parse_one_(parse_one), max_(max) {}

  std::vector<Number> read() {
    const std::string plain = plain_ascii(text_);
    const std::vector<std::string_view> items = split(plain, ',');
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && items[i].size() == 3 && items[i].front() == '0' && is_digit(items[i].back())) {
        const std::string together = fmt::format("{}{}", trimmed(items[i - 1]), items[i]);
        throw UserError(
            fmt::format("{} '{}': a comma separates values; for a single number, write {}", what_,
                        text_, together));
      }
      read_item(trimmed(items[i]));
    }
    return std::move(numbers_);
  }

 private:
  Number one(std::string_view item) const { return parse_one_(what_, item, max_); }

  void add(std::uint64_t number) {
    if (numbers_.size() == kMaxListed) {
      const std::vector<std::string> forms{fmt::format("{}*2", text_)};
      const std::string corrections =
          text_.find('*') != text_.npos
              ? ""
              : accepted_corrections(forms, [this](const std::string& form) {
                  static_cast<void>(ListReader("", form, parse_one_, max_).read());
                });
      throw UserError(fmt::format("{} '{}': the list has more than {} values{}{}", what_, text_,
                                  kMaxListed, corrections.empty() ? "" : "; ", corrections));
    }
    numbers_.push_back(static_cast<Number>(number));
  }

  // Throws UserError on a range written as 4-64 or 4:64. The message offers the correct forms that
  // are accepted here.
  void check_range_sign(std::string_view item) const {
    const auto ends = ends_of_range(item);
    if (!ends) {
      return;
    }
    const auto& [first, last] = *ends;
    constexpr bool kSizes = sizeof(Number) > sizeof(std::uint32_t);
    std::vector<std::string> forms;
    if (!kSizes) {  // a range of sizes without a factor is every byte, which is seldom meant
      forms.push_back(fmt::format("{}..{}", first, last));
    }
    forms.push_back(fmt::format("{}..{}*2", first, last));
    forms.push_back(fmt::format("{},{}", first, last));
    throw UserError(fmt::format("{} '{}': not a number or range; {}", what_, item,
                                accepted_corrections(forms, [this](const std::string& form) {
                                  static_cast<void>(ListReader("", form, parse_one_, max_).read());
                                })));
  }

  void read_item(std::string_view item) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      check_range_sign(item);
      add(one(item));
      return;
    }
    std::string_view last_text = item.substr(dots + 2);
    std::uint64_t factor = 1;
    if (const std::size_t star = last_text.find_first_of("*x"); star != std::string_view::npos) {
      factor =
          parse_count(fmt::format("{} '{}': the factor", what_, text_), last_text.substr(star + 1));
      last_text = last_text.substr(0, star);
      if (factor < 2) {
        throw UserError(fmt::format("{} '{}': the factor after * is {}; it must be 2 or more",
                                    what_, text_, factor));
      }
    }
    add_range(one(item.substr(0, dots)), one(last_text), factor);
  }

  void add_range(std::uint64_t first, std::uint64_t last, std::uint64_t factor) {
    if (first > last) {
      throw UserError(fmt::format("{} '{}': the range runs backwards; write the smaller end first",
                                  what_, text_));
    }
    if (factor > 1 && first == 0) {
      throw UserError(fmt::format("{} '{}': 0 times {} stays 0; start the range at 1 or more",
                                  what_, text_, factor));
    }
    if (factor == 1) {
      for (std::uint64_t number = first; number <= last; ++number) {
        add(number);
      }
      return;
    }
    add(first);
    for (std::uint64_t number = first; number <= last / factor;) {
      number *= factor;
      add(number);
    }
  }

  std::string_view what_;
  std::string_view text_;
  Number (*parse_one_)(std::string_view, std::string_view, std::uint32_t);
  std::uint32_t max_;
  std::vector<Number> numbers_;
};

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
  const Split split = split_unit(text);
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

std::uint64_t parse_size(std::string_view what, std::string_view text, std::uint32_t) {
  return parse_bytes(what, text);
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

namespace {

// Returns what the user may have meant by a text that is not a size: 64K or 64000 for 64KB, and
// 1048576 for 1,048,576 or 1048576 for 1.048576e6.
std::vector<std::string> likely_sizes(std::string_view text) {
  const Split split = split_unit(text);
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
  const Split split = split_unit(plain);
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
    refuse(what, text, "out of range", kAccepted);
  }
  return *value / kAll;
}

std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                        std::uint32_t max) {
  return ListReader<std::uint32_t>(what, text, parse_count, max).read();
}

std::vector<std::uint64_t> parse_byte_list(std::string_view what, std::string_view text) {
  return ListReader<std::uint64_t>(what, text, parse_size, 0).read();
}

double parse_time_s(std::string_view what, std::string_view text, std::string_view likely) {
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, kTimeAccepted);
  const Split split = split_unit(plain);
  const auto value = positive_double(split.number);
  if (!value) {
    refuse(what, text, "not a time", kTimeAccepted);
  }
  const auto unit_s = time_unit_s(split.unit);
  if (!unit_s) {
    std::vector<std::string> forms{fmt::format("{}{}", split.number, lower_case(split.unit))};
    if (split.unit == "m") {
      forms = {fmt::format("{}ms", split.number), fmt::format("{}min", split.number)};
    }
    refuse_or_correct(
        what, text, fmt::format("'{}' is not a unit of time", split.unit),
        accepted_corrections(
            forms, [](const std::string& form) { static_cast<void>(parse_time_s("", form)); }),
        kTimeAccepted);
  }
  check_unit(what, text, split, *value, likely);
  const double seconds = *value * *unit_s;
  if (*value != 0 && !(seconds >= kShortestSeconds && seconds <= kLongestSeconds)) {
    refuse(what, text, "must be 0 or between 1e-24 s and 1e9 s", kTimeAccepted);
  }
  return seconds;
}

namespace {

// Returns the bytes per second of a unit such as Gbps, Gb/s, Gbit/s, GB/s or GiBps; nothing if the
// unit is unknown. A unit of bits may lack the second (Gbit).
std::optional<double> rate_unit(std::string_view unit) {
  bool per_second = false;
  for (const std::string_view end : {"ps", "/s", "/sec"}) {
    if (!per_second && unit.ends_with(end)) {
      unit.remove_suffix(end.size());
      per_second = true;
    }
  }
  double bytes = 0;
  for (const auto& [word, each] :
       {std::pair{"bit", 0.125}, std::pair{"bits", 0.125}, std::pair{"Byte", 1.0},
        std::pair{"Bytes", 1.0}, std::pair{"byte", 1.0}, std::pair{"bytes", 1.0},
        std::pair{"b", 0.125}, std::pair{"B", 1.0}}) {
    if (bytes == 0 && unit.ends_with(word)) {
      unit.remove_suffix(std::string_view(word).size());
      bytes = each;
      per_second = per_second || std::string_view(word).starts_with("bit");
    }
  }
  if (bytes == 0 || !per_second) {
    return std::nullopt;
  }
  const bool binary = unit.size() == 2 && unit.back() == 'i';
  const std::string prefix = lower_case(binary ? unit.substr(0, 1) : unit);
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = prefix.size() == 1 ? kPrefixes.find(prefix) + 1 : 0;  // 0: unknown
  if (power == 0 && (binary || !prefix.empty())) {
    return std::nullopt;
  }
  return bytes * std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power));
}

// Returns the rates that the user may have meant by a number with an incomplete unit, such as 400G
// or 400Gb.
std::vector<std::string> likely_rates(const Split& split) {
  if (split.unit.empty()) {
    return {};
  }
  const std::string_view unit = split.unit.substr(0, split.unit.find_first_of("psPS/"));
  const char last = unit.empty() ? ' ' : unit.back();
  const std::string prefix(unit.substr(0, unit.size() - (last == 'b' || last == 'B' ? 1 : 0)));
  const std::string bits = fmt::format("{}{}bps", split.number, prefix);
  const std::string bytes = fmt::format("{}{}Bps", split.number, prefix);
  return last == 'b'   ? std::vector{bits}
         : last == 'B' ? std::vector{bytes, bits}
                       : std::vector{bits, bytes};
}

}  // namespace

double parse_rate(std::string_view what, std::string_view text) {
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, kRateAccepted);
  const Split split = split_unit(plain);
  const auto value = positive_double(split.number);
  if (!value || *value == 0) {
    refuse(what, text, "not a rate above 0", kRateAccepted);
  }
  if (split.unit.empty()) {
    // The suggested prefix is G, unless the number is so large that the user probably meant no
    // prefix.
    const std::string_view prefix = *value < 1e5 ? "G" : "";
    throw UserError(fmt::format("{} '{}': no unit; write {}{}bps (bits) or {:g}{}Bps (bytes)", what,
                                text, split.number, prefix, *value / 8, prefix));
  }
  const auto unit = rate_unit(split.unit);
  if (!unit) {
    refuse_or_correct(what, text, fmt::format("'{}' is not a unit of rate", split.unit),
                      accepted_corrections(
                          likely_rates(split),
                          [](const std::string& form) { static_cast<void>(parse_rate("", form)); }),
                      kRateAccepted);
  }
  const double rate = *value * *unit;
  if (!(rate >= 1 / kLongestSeconds && rate <= 1 / kShortestSeconds)) {
    refuse(what, text, "must be between 1e-9 and 1e24 bytes per second", kRateAccepted);
  }
  return rate;
}

double parse_s_per_byte(std::string_view what, std::string_view text) {
  const std::string accepted = fmt::format("a time per byte such as 0.8ns, or {}", kRateAccepted);
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, accepted);
  Split split = split_unit(plain);
  for (const std::string_view per : {"/B", "/byte"}) {
    if (split.unit.ends_with(per)) {
      split.unit.remove_suffix(per.size());
    }
  }
  if (split.unit.find_first_of("bB") != std::string_view::npos) {
    return 1 / parse_rate(what, text);
  }
  const auto value = positive_double(split.number);
  if (!value || !time_unit_s(split.unit)) {
    refuse_or_correct(what, text, "not a time per byte",
                      accepted_corrections(
                          likely_rates(split),
                          [](const std::string& form) { static_cast<void>(parse_rate("", form)); }),
                      accepted);
  }
  check_unit(what, text, split, *value, "ns");
  return parse_time_s(what, fmt::format("{}{}", split.number, split.unit));
}

}}  // namespace tutti::base
