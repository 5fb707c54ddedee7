#include "base/human.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace tutti { inline namespace base {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

// Formats `value` in the largest unit in which it is at least 1 after rounding to six digits, so
// that 999.9999999 us becomes 1 ms.
template <std::size_t kCount>
std::string in_units(double value, const std::array<Unit, kCount>& units) {
  for (const Unit& unit : units) {
    if (value / unit.size >= 0.9999995) {
      return fmt::format("{:.6g} {}", value / unit.size, unit.name);
    }
  }
  return fmt::format("{:.6g} {}", value / units.back().size, units.back().name);
}

}  // namespace

std::string human_time(double seconds) {
  constexpr std::array kUnits{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
  return seconds == 0 ? "0 s" : in_units(seconds, kUnits);
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kNames{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < kNames.size() && bytes >> (10 * (unit + 1)) != 0) {
    ++unit;
  }
  if (unit == 0) {
    return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
  }
  return fmt::format("{:.4g} {}",
                     std::ldexp(static_cast<double>(bytes), -10 * static_cast<int>(unit)),
                     kNames[unit]);
}

std::string human_rate(double bytes_per_s) {
  constexpr std::array kUnits{Unit{"TB/s", 1e12}, Unit{"GB/s", 1e9}, Unit{"MB/s", 1e6},
                              Unit{"kB/s", 1e3}, Unit{"B/s", 1}};
  return in_units(bytes_per_s, kUnits);
}

std::string human_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  std::string plural = noun + "s";
  if (noun.back() == 'y') {
    plural = noun.substr(0, noun.size() - 1) + "ies";
  }
  return human_count(count) + " " + (count == 1 ? noun : plural);
}

std::string human_factor(double factor) {
  constexpr double kWhole = 99.95;
  return factor < 9.995    ? fmt::format("{:.2f}", factor)
         : factor < kWhole ? fmt::format("{:.1f}", factor)
         : factor < 1e18   ? human_count(static_cast<std::uint64_t>(std::llround(factor)))
                           : fmt::format("{:.3g}", factor);
}

std::string human_difference(double relative) {
  if (std::fabs(relative) <= 1e-9) {
    return "equal to";
  }
  const double percent = std::fabs(100 * relative);
  const std::string_view direction = relative > 0 ? "above" : "below";
  if (percent < 0.01) {
    return fmt::format("{:.1e} % {}", percent, direction);
  }
  return fmt::format("{:.{}f} % {}", percent, percent < 1 ? 2 : 1, direction);
}

}}  // namespace tutti::base
