// Times for table columns and sentences, with few digits.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

// Returns "26.56..29.08 ms", or "980 ns..1.1 us" if the units differ.
[[nodiscard]] std::string time_range(double least_s, double most_s);

// Returns a time with three digits, such as "16.8 us".
[[nodiscard]] std::string brief_time(double seconds);

// Format for all times of a column: one unit and one number of decimals. The shortest time is
// printed with five digits.
struct TimeUnit {
  std::string_view name = "s";
  double seconds = 1;
  int decimals = 4;

  // Returns the time without the unit, such as "88,227.4".
  [[nodiscard]] std::string print(double time_s) const;
};

// Chooses the unit in which the shortest time above 0 is at least 1. If the longest time then has
// more than six digits before its decimal point, chooses a larger unit.
[[nodiscard]] TimeUnit unit_of_column(std::span<const double> times_s);

}}  // namespace tutti::base
