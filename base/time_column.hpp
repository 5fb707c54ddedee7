// Times for columns and clauses, where fewer digits say more.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::inline base {

// "26.56..29.08 ms"; "980 ns..1.1 us" where units differ.
[[nodiscard]] std::string time_range(double least_s, double most_s);

// "16.8 us": three digits.
[[nodiscard]] std::string brief_time(double seconds);

// How all times of a column are written: in one unit, with as many decimals as give the shortest
// of them five digits.
struct TimeUnit {
  std::string_view name = "s";
  double seconds = 1;
  int decimals = 4;

  // "88,227.4", without the unit.
  [[nodiscard]] std::string print(double time_s) const;
};

// In the unit in which the shortest time above 0 is at least 1; in the next where the longest would
// have more than six digits before its point.
[[nodiscard]] TimeUnit unit_of_column(std::span<const double> times_s);

}  // namespace tutti::inline base
