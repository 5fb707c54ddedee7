// Sorts nearly sorted items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti { inline namespace sim {

// Sorts `items`, fast if they consist of a few ascending runs. `scratch` is memory that can be
// reused from call to call.
template <typename T>
void sort_runs(std::vector<T>& items, std::vector<T>& scratch) {
  constexpr int kFew = 16;
  int runs = 1;
  for (std::size_t i = 1; i < items.size(); ++i) {
    runs += items[i] < items[i - 1] ? 1 : 0;
    if (runs > kFew) {
      std::sort(items.begin(), items.end());
      return;
    }
  }
  for (; runs > 1; runs = (runs + 1) / 2) {  // each pass merges pairs of neighbouring runs
    scratch.resize(items.size());
    auto out = scratch.begin();
    auto end = items.begin();
    while (end != items.end()) {
      const auto begin = end;
      const auto middle = std::is_sorted_until(begin, items.end());
      end = std::is_sorted_until(middle, items.end());
      out = std::merge(begin, middle, middle, end, out);
    }
    items.swap(scratch);
  }
}

}}  // namespace tutti::sim
