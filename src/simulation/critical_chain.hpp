// Finds the critical chain of a run: a sequence of operations, each of which waited for the
// operation before it. The end of the last operation is the end of the run. The chain explains the
// duration of the run by what the time of its operations was spent on.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"
#include "src/simulation/spending.hpp"

namespace tutti { inline namespace simulation {

// Resources that an operation needs to start, once its predecessors are done.
enum class Resource : std::uint8_t { outgoing_port, incoming_port, core };

struct ChainStep {
  OpId op = kNoOp;
  double from_s = 0;
  // Time at which the next operation on the chain could continue, because this operation ended or
  // released a port or a core.
  double until_s = 0;
  // The next operation on the chain, if it waited for a port or a core that this operation held.
  // wait_from_s is the time at which the waiting operation became ready, or at which this operation
  // began if that was later. kNoOp: the next operation depended on this one.
  OpId waiter = kNoOp;
  Resource resource = Resource::outgoing_port;
  double wait_from_s = 0;
  // The step covers only what the receiver did with a message that had arrived before.
  bool is_late_receive = false;

  bool operator==(const ChainStep&) const = default;
};

// Returns the critical chain, which is found by going back from the operation that ends last. The
// step before an operation is its predecessor that finished last. If the operation was ready before
// it started, the step before it is instead the operation that held the port or core that it
// needed. An eager message (RunSetup::eager_bytes) is done for its sender when it starts, and for
// its receiver only once the receiver is ready. If the receiver was late, the step covers only the
// end of the message. Without Timeline::arrival_s, the time at which eager messages release their
// ports is estimated. Steps are in chronological order. In a gap between two steps, or before the
// first, nothing on the chain ran: the run had not started, or a rank was late.
//
// If several chains end when the run ends, the function returns the one with the largest weighted
// sum of the times that its operations spend (Spent), with one weight for each kind of spending.
// With these weights, chains that spend their time differently have different sums. The spending of
// the chain therefore depends neither on the order of operations, nor on whether one rank was
// simulated in place of many: a schedule with one rank of each class has the same chains as the
// schedule with all ranks.
//
// In a cut schedule (timeline.steady), the chain passes through all rounds, also those that were
// left out: there, each step has the id of the same operation in the last steady round.
[[nodiscard]] std::vector<ChainStep> walk_chain(const Schedule& schedule, const Timeline& timeline,
                                                const RunSetup& setup, const OwnTimes& own_times);

struct CriticalChain {
  std::vector<ChainStep> steps;  // first to last
  TimeBySpending spent;          // adds up to the time of the run
  // False if the schedule is cut, and the chain through the rounds that were left out is not known:
  // it does not repeat as the times do.
  bool is_known = true;
};

// Returns the chain that walk_chain() finds, with an account of its time. `run_starts_s` is the
// earliest time at which an operation of the run can start, in seconds.
[[nodiscard]] CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                                           const OwnTimes& own_times, const RunSetup& setup = {},
                                           double run_starts_s = 0);

}}  // namespace tutti::simulation
