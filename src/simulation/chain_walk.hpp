// The chain of operations, each started by what became over before it, that ends with the run.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"
#include "src/simulation/spending.hpp"

namespace tutti::inline simulation {

// What an operation needs beside the operations that it comes after.
enum class Resource : std::uint8_t { outgoing_port, incoming_port, core };

struct ChainStep {
  OpId op = kNoOp;
  double from_s = 0;
  // What comes next on the chain could go on: at the end of the operation, or when it let go of a
  // port or a core.
  double until_s = 0;
  // What comes next was ready at wait_from_s, or before this operation began, and waited for a port
  // or a core that it held; kNoOp: it needed what this operation did.
  OpId waiter = kNoOp;
  Resource resource = Resource::outgoing_port;
  double wait_from_s = 0;

  bool operator==(const ChainStep&) const = default;
};

// Walks back from the last end. An operation was started by the latest of what it comes after, or,
// where it was ready before, by the one that held the port or the core it needed. An eager message
// (RunSetup::eager_bytes) is over for its sender when it starts, and is over at its receiver no
// earlier than that is ready; where the receiver came late, its step is but the end of it. Without
// Timeline::arrival_s, it is a guess when eager messages let go of their ports. Steps are in the
// order of time; between two of them, and before the first, is time in which nothing on the chain
// ran: the start of a run, or a rank that came late.
//
// Several chains may end with the run. The one taken has the largest sum of what its operations
// spend (Spent), each kind of spending times a weight. The weights are such that chains that spend
// their time on different things have different sums, so what the chain spends depends neither on
// the order of operations, nor on whether one rank was simulated for many: the chains of a
// symmetric part are those of the whole schedule.
[[nodiscard]] std::vector<ChainStep> walk_chain(const Schedule& schedule, const Timeline& timeline,
                                                const RunSetup& setup, const OwnTimes& own_times);

}  // namespace tutti::inline simulation
