// The pieces of an account, taken together for people: one row for what cost time, largest first.
#pragma once

#include <cstdint>
#include <vector>

#include "src/simulation/explain/time_account.hpp"

namespace tutti::inline simulation {

struct RowPart {
  Spending on = Spending::startup;
  std::uint32_t link = kNoLink;
  double seconds = 0;
};

struct AccountRow {
  Spending on = Spending::startup;
  std::uint32_t link = kNoLink;  // of sharing; of cores, the host
  double seconds = 0;
  std::vector<OpId> ops;              // that spent the time, in order
  std::vector<std::uint32_t> levels;  // of these operations, ascending
};

// The time in which the next operation of the chain was ready, and others held the port or the core
// of `rank` that it needed.
struct WaitRow {
  Resource resource = Resource::outgoing_port;
  Rank rank = 0;
  double seconds = 0;
  std::vector<OpId> ops;              // that held it, in order
  std::vector<std::uint32_t> levels;  // of these operations, ascending
  std::vector<RowPart> parts;         // what they did meanwhile, largest first
};

// Largest first. Their seconds add up to the total.
[[nodiscard]] std::vector<AccountRow> rows_of(const TimeAccount& account, const Schedule& schedule);

// Likewise, of that part of the same seconds in which operations of the chain waited.
[[nodiscard]] std::vector<WaitRow> waits_of(const TimeAccount& account, const Schedule& schedule);

}  // namespace tutti::inline simulation
