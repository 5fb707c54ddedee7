// Compares two schedules whose operations have other ids and labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"

namespace interchange_tests {

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash =
      (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6U) + (a >> 2U))) * 0xbf58476d1ce4e5b9U;
  return hash ^ (hash >> 31U);
}

// Returns a number for each operation that depends on its ranks, its amount, and on everything
// before and after it in the graph, sorted. Schedules with the same graph have the same numbers.
// `amount(op)` is the size of a message, or the time of a calculation.
template <typename Amount>
std::vector<std::uint64_t> signature(const tutti::Schedule& schedule, const Amount& amount) {
  const auto own = [&](tutti::OpId id) {
    const tutti::Op& op = schedule.op(id);
    return mixed(mixed(mixed(op.is_comm() ? 1 : 2, op.src()), op.dst()), amount(op));
  };
  const auto joined = [](std::uint64_t first, std::vector<std::uint64_t> others) {
    std::sort(others.begin(), others.end());
    for (const std::uint64_t other : others) {
      first = mixed(first, other);
    }
    return first;
  };
  std::vector<std::uint64_t> before(schedule.size());
  std::vector<std::uint64_t> all(schedule.size());
  for (tutti::OpId id = 0; id < schedule.size(); ++id) {
    std::vector<std::uint64_t> others;
    for (const tutti::OpId other : schedule.predecessors(id)) {
      others.push_back(before[other]);
    }
    before[id] = joined(own(id), others);
  }
  for (tutti::OpId id = schedule.size(); id-- > 0;) {
    std::vector<std::uint64_t> others;
    for (const tutti::OpId other : schedule.successors(id)) {
      others.push_back(all[other]);
    }
    all[id] = joined(before[id], others);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace interchange_tests
