#include "cost_models/longest_path.hpp"

#include <algorithm>

namespace tutti { inline namespace cost_models {

LongestPath longest_path(const Schedule& schedule, const Prices& prices) {
  LongestPath longest;
  if (schedule.size() == 0) {
    return longest;
  }
  std::vector<double> end_s(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {  // ids are in topological order
    double start_s = 0;
    for (const OpId before : schedule.predecessors(id)) {
      start_s = std::max(start_s, end_s[before]);
    }
    end_s[id] = start_s + op_s(schedule.op(id), prices, schedule.ranks());
  }
  const auto last = std::max_element(end_s.begin(), end_s.end());
  longest.total_s = *last;
  // Walks backwards from the operation that ends last. Each operation on the path has waited for
  // the predecessor that ends last.
  auto id = static_cast<OpId>(last - end_s.begin());
  longest.ops.push_back(id);
  for (auto before = schedule.predecessors(id); !before.empty();
       before = schedule.predecessors(id)) {
    id = *std::max_element(before.begin(), before.end(),
                           [&](OpId a, OpId b) { return end_s[a] < end_s[b]; });
    longest.ops.push_back(id);
  }
  std::reverse(longest.ops.begin(), longest.ops.end());
  return longest;
}

}}  // namespace tutti::cost_models
