// Where the time of a run went, to the last digit: each moment of the total is one piece's.
//
// The pieces follow the chain of operations that ends last (src/simulation/chain_walk.hpp). A
// message on it takes the latency of its own route, then moves its bytes; where a link holds it
// below what it would have alone, the time that this costs is that link's. Local work that shares
// the cores of its host loses time to these likewise. While an operation holds a port or a core for
// which the next one of the chain already waits, its pieces are marked as waited for: that the
// other waited, and for whom, is why they are on the chain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow_record.hpp"
#include "src/simulation/chain_walk.hpp"
#include "src/simulation/spending.hpp"

namespace tutti::inline simulation {

struct Piece {
  std::uint32_t step = 0;  // of the chain; of start_of_run and lateness the one that comes after
  Spending on = Spending::startup;
  std::uint32_t link = kNoLink;  // of sharing; of cores, the host
  bool waited_for = false;
  double seconds = 0;
};

struct TimeAccount {
  std::vector<ChainStep> chain;
  std::vector<Piece> pieces;  // in the order of time
  double total_s = 0;

  [[nodiscard]] double seconds_on(Spending on) const;
  [[nodiscard]] double waited_s() const;
  // Sum of all, which is total_s but for rounding.
  [[nodiscard]] double sum_s() const;
};

// What a watched run is to watch for the account of this chain.
[[nodiscard]] std::vector<WatchedOp> watched_of(const std::vector<ChainStep>& chain);

// Of a run of the flow engine. `stretches` are those of the watched run; `run_starts_s` is when the
// first operation could start.
[[nodiscard]] TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                                     std::span<const FlowStretch> stretches, double run_starts_s,
                                     double total_s);

// Of a run in which nothing is shared: of engine critical-path.
[[nodiscard]] TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                                     const OwnTimes& own_times, double run_starts_s,
                                     double total_s);

}  // namespace tutti::inline simulation
