// Summarizes the pieces of a TimeAccount for reports: one row for each cause, largest first.
#pragma once

#include <cstdint>
#include <vector>

#include "src/simulation/explain/time_account.hpp"

namespace tutti { inline namespace simulation {

struct RowPart {
  Spending on = Spending::startup;
  std::uint32_t link = kNoLink;
  MessagePart part = MessagePart::none;
  double seconds = 0;
};

struct AccountRow {
  Spending on = Spending::startup;
  // For Spending::sharing, number of the link that cost the time; for Spending::cores, number of
  // the host.
  std::uint32_t link = kNoLink;
  MessagePart part = MessagePart::none;  // parameters of the message model that cost the time
  double seconds = 0;
  std::vector<OpId> ops;              // operations that spent the time, in the order of the chain
  std::vector<std::uint32_t> levels;  // levels of these operations, ascending
};

// Time in which the next operation of the chain was ready, but other operations held a port or a
// core of `rank` that the next operation needed.
struct WaitRow {
  Resource resource = Resource::outgoing_port;
  Rank rank = 0;
  double seconds = 0;
  std::vector<OpId> ops;  // operations that held the port or core, in the order of the chain
  std::vector<std::uint32_t> levels;  // levels of these operations, ascending
  std::vector<RowPart> parts;         // what `ops` did meanwhile, longest first
};

// Returns a row for each cause, largest first. The seconds of all rows add up to the total.
[[nodiscard]] std::vector<AccountRow> rows_of(const TimeAccount& account, const Schedule& schedule);

// Returns a row for each port or core that operations of the chain waited for, largest first. The
// rows of rows_of() include these seconds, too.
[[nodiscard]] std::vector<WaitRow> waits_of(const TimeAccount& account, const Schedule& schedule);

}}  // namespace tutti::simulation
