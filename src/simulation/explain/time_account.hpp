// Account of a run's time: each moment of the total belongs to exactly one piece.
//
// The pieces follow the critical chain (src/simulation/critical_chain.hpp). A message on the chain
// takes the latency of its own route and then moves its bytes. If a link slows the message below
// the rate that it would have alone, the lost time is attributed to that link. Local work that
// shares the cores of its host loses time to these cores in the same way. An operation may hold a
// port or a core while the next operation of the chain is already ready and waits for it.
// Piece::waited_for marks the pieces of the operation that holds the port or core from that moment
// on: these pieces are on the chain only because the next operation waited.
//
// With a message model, the start-up of a message, the rate at which it moves its bytes, the work
// of the library before the run and local work have several causes; Piece::part names them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow_record.hpp"
#include "src/simulation/critical_chain.hpp"
#include "src/simulation/explain/message_account.hpp"
#include "src/simulation/spending.hpp"

namespace tutti { inline namespace simulation {

struct Piece {
  // Index in TimeAccount::chain of the step that took the time; for start_of_run and lateness, of
  // the step that follows.
  std::uint32_t step = 0;
  Spending on = Spending::startup;
  // For Spending::sharing, number of the link that cost the time; for Spending::cores, number of
  // the host.
  std::uint32_t link = kNoLink;
  // With a message model: which of its parameters cost the time.
  MessagePart part = MessagePart::none;
  bool waited_for = false;
  double seconds = 0;
};

struct TimeAccount {
  std::vector<ChainStep> chain;
  std::vector<Piece> pieces;  // in chronological order
  double total_s = 0;

  [[nodiscard]] double seconds_on(Spending on) const;
  [[nodiscard]] double waited_s() const;
  // Sum of all pieces, which equals total_s up to rounding.
  [[nodiscard]] double sum_s() const;
};

// Returns the operations that run_watched() must record for the account of this chain.
[[nodiscard]] std::vector<WatchedOp> watched_of(const std::vector<ChainStep>& chain);

// Accounts for a run of the flow engine. `stretches` comes from run_watched(). The first operation
// could start at `run_starts_s`. `messages` divides the times of a message model; it may be null.
[[nodiscard]] TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                                     std::span<const FlowStretch> stretches, double run_starts_s,
                                     double total_s, const MessageAccount* messages = nullptr);

// Accounts for a run of the engine critical-path, in which nothing is shared.
[[nodiscard]] TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                                     const OwnTimes& own_times, double run_starts_s,
                                     double total_s);

}}  // namespace tutti::simulation
