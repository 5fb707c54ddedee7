// Times and rates.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/quantity_text.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

namespace {

// Limits of times. Beyond these limits, the product or quotient of a time and a number of bytes or
// operations could overflow or underflow. For a rate, the time of one byte must be within the
// limits.
constexpr double kShortestSeconds = 1e-24;
constexpr double kLongestSeconds = 1e9;

constexpr std::string_view kTimeAccepted = "a time such as 1.5us, 200ns, 2ms or 3s";
constexpr std::string_view kRateAccepted = "a rate such as 10Gbps (bits) or 1.25GBps (bytes)";

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

// Throws UserError if the unit is missing. 0 needs no unit, and a number with an exponent (1e-6) is
// in seconds.
void check_unit(std::string_view what, std::string_view text, const NumberAndUnit& split,
                double value, std::string_view likely) {
  if (split.unit.empty() && value != 0 && split.number.find_first_of("eE") == text.npos) {
    throw UserError(fmt::format("{0} '{1}': no unit; write {2}{3}, or {2}s for seconds", what, text,
                                split.number, likely));
  }
}

}  // namespace

double parse_time_s(std::string_view what, std::string_view text, std::string_view likely) {
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, kTimeAccepted);
  const NumberAndUnit split = split_unit(plain);
  const auto value = positive_double(split.number);
  if (!value) {
    refuse_quantity(what, text, "not a time", kTimeAccepted);
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
    refuse_quantity(what, text, "must be 0 or between 1e-24 s and 1e9 s", kTimeAccepted);
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
std::vector<std::string> likely_rates(const NumberAndUnit& split) {
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
  const NumberAndUnit split = split_unit(plain);
  const auto value = positive_double(split.number);
  if (!value || *value == 0) {
    refuse_quantity(what, text, "not a rate above 0", kRateAccepted);
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
    refuse_quantity(what, text, "must be between 1e-9 and 1e24 bytes per second", kRateAccepted);
  }
  return rate;
}

double parse_s_per_byte(std::string_view what, std::string_view text) {
  const std::string accepted = fmt::format("a time per byte such as 0.8ns, or {}", kRateAccepted);
  const std::string plain = plain_ascii(text);
  reject_sign(what, plain, accepted);
  NumberAndUnit split = split_unit(plain);
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
