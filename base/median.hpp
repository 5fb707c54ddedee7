// Median of measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti { inline namespace base {

// Returns the median. `values` must not be empty.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}}  // namespace tutti::base
