#include "base/time_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/human.hpp"

namespace tutti { inline namespace base {

namespace {

constexpr std::array kUnits{TimeUnit{"s", 1}, TimeUnit{"ms", 1e-3}, TimeUnit{"us", 1e-6},
                            TimeUnit{"ns", 1e-9}};

const TimeUnit& unit_of(double seconds) {
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(),
                   [seconds](const TimeUnit& unit) { return seconds / unit.seconds >= 0.9995; });
  return found == kUnits.end() ? kUnits.back() : *found;
}

}  // namespace

std::string time_range(double least_s, double most_s) {
  std::string least = human_time(least_s);
  const std::string most = human_time(most_s);
  const std::size_t unit = least.rfind(' ');
  if (most.ends_with(least.substr(unit))) {
    least.resize(unit);
  }
  return fmt::format("{}..{}", least, most);
}

std::string brief_time(double seconds) {
  if (seconds == 0) {
    return "0 s";
  }
  const TimeUnit& unit = unit_of(seconds);
  const double value = seconds / unit.seconds;
  // The format {:.3g} would write an exponent if there were more than three digits before the
  // decimal point.
  return value >= 999.5 ? fmt::format("{:.0f} {}", value, unit.name)
                        : fmt::format("{:.3g} {}", value, unit.name);
}

std::string TimeUnit::print(double time_s) const {
  std::string text = fmt::format("{:.{}f}", time_s / seconds, decimals);
  std::size_t at = std::min(text.find('.'), text.size());
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  while (at > first + 3) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

TimeUnit unit_of_column(std::span<const double> times_s) {
  double shortest = 0;
  for (const double time_s : times_s) {
    if (time_s > 0 && (shortest == 0 || time_s < shortest)) {
      shortest = time_s;
    }
  }
  if (shortest == 0) {
    return kUnits.front();
  }
  const double longest = *std::max_element(times_s.begin(), times_s.end());
  TimeUnit unit = unit_of(shortest);
  constexpr double kTooLong = 1e6;
  for (std::size_t i = kUnits.size(); i > 0 && longest / unit.seconds >= kTooLong; --i) {
    if (kUnits[i - 1].seconds > unit.seconds) {
      unit = kUnits[i - 1];
    }
  }
  constexpr int kDigits = 5;
  const int before_point = static_cast<int>(std::floor(std::log10(shortest / unit.seconds))) + 1;
  unit.decimals = std::clamp(kDigits - before_point, 0, kDigits - 1);
  return unit;
}

}}  // namespace tutti::base
