// The pieces of an account, taken together for people: one row for what cost time, largest first.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/explain/time_account.hpp"

namespace tutti {

// What the operations did that others of the chain waited for.
struct RowPart {
  Spending on = Spending::startup;
  std::uint32_t link = kNoLink;
  double seconds = 0;
};

struct AccountRow {
  Spending on = Spending::startup;  // of a wait: not used
  std::uint32_t link = kNoLink;     // of sharing; of cores, the host
  // Waiting for a port or the core of `rank`, which others held.
  bool wait = false;
  Resource resource = Resource::outgoing_port;
  Rank rank = 0;
  double seconds = 0;
  std::vector<OpId> ops;              // that spent the time, or held what was waited for, in order
  std::vector<std::uint32_t> levels;  // of these operations, ascending
  std::vector<RowPart> parts;         // of a wait, largest first
};

// Their seconds add up to the total.
[[nodiscard]] std::vector<AccountRow> rows_of(const TimeAccount& account, const Schedule& schedule);

}  // namespace tutti
