// Interface of all engines. An engine computes the start and the end of every operation of a
// schedule.
//
// All engines follow the same ordering rules, so that engines are comparable and runs repeatable:
// - An instant begins with an event, and contains all events up to instant_end_s(time of that
//   event).
// - All completions of an instant are handled first. Operations of zero duration that thereby
//   become ready finish at once.
// - After that, operations start in the order of their ids. An operation that must wait for a port
//   or a core does not hold back operations with larger ids. sim/dispatcher.hpp implements these
//   rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/schedule.hpp"
#include "sim/disturbance.hpp"
#include "sim/flow_record.hpp"
#include "sim/ties.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace sim {

inline constexpr std::uint32_t kUnlimitedPorts = 0;

// Local work that is slower while other work, on one of several streams, is under way at its rank.
struct SlowComputing {
  static constexpr std::int16_t kSlowed = 0x7fff;  // the time of the operation grows
  std::vector<double> factors;                     // by stream: by how much it grows; at least 1
  // By operation: kSlowed, 0, or a change. At the end of an operation with a change, which must
  // take no time, stream |change| - 1 of its rank gets more work (positive) or has less (negative).
  // If several streams are busy, the largest factor counts.
  std::vector<std::int16_t> change;
};

struct RunSetup {
  // Number of messages that a rank may send at a time, and also the number that it may receive at a
  // time. The published formulas assume 1. With kUnlimitedPorts, all messages are non-blocking, and
  // only the network limits them.
  std::uint32_t ports = 1;
  // Messages of at most this many bytes are eager, as small messages in MPI libraries are. An eager
  // message leaves as soon as its sender is ready, whether or not the receiver is, and its sender
  // continues at once. The message ends at the receiver when it has arrived and the receiver is
  // ready for it. It holds ports and links like any other message. Negative: no message is eager.
  std::int64_t eager_bytes = -1;
  // False: eager messages need no ports, as in a library with a buffer for each message.
  bool eager_takes_ports = true;
  // Measured costs, which replace alpha, beta, gamma and the price of copies. The first operation
  // starts at CostCurves::start_s.
  std::shared_ptr<const CostCurves> curves = nullptr;
  // Returns true if two ranks are on the same node. Used if `curves` has separate costs for
  // messages within a node.
  std::function<bool(Rank, Rank)> same_node = [](Rank, Rank) { return true; };
  // Earliest time at which the first operation may start.
  double start_s = 0;
  // The run throws GaveUp once the clock has passed this time. Only the engines flow and
  // critical-path use this.
  double give_up_s = std::numeric_limits<double>::infinity();
  // `ties` are the parameters of the search for ties that change the total, and `shifts` are the
  // shifted starts of one run of that search. Only the engines flow and critical-path use them.
  TieProbe ties = {};
  StartShifts shifts = {};
  // The operations and links whose behaviour FlowRecord records; null: none. Only the flow engine
  // uses this.
  WatchListPtr watched = nullptr;
  // Ranks that begin late, and times that vary. Only the engines flow and critical-path use this.
  Disturbance disturbance = {};
  // Only the flow engine uses this, on hosts without shared cores.
  std::shared_ptr<const SlowComputing> slow_computing = nullptr;
};

class GaveUp : public UserError {
 public:
  GaveUp() : UserError("the run takes longer than the given limit") {}
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // Throws InvariantError if an operation cannot finish. The message names the operation and what
  // it waits for.
  [[nodiscard]] virtual Timeline run(const Schedule& schedule, const RunSetup& setup) = 0;
};

// Returns the end of the instant that begins at `first_s`. An instant lasts 1 ps or 1e-11 times
// `first_s`, whichever is more, because rounding errors grow with the time.
[[nodiscard]] inline double instant_end_s(double first_s) {
  return first_s + std::max(1e-12, 1e-11 * first_s);
}

// Returns the end of the instant in a run with shifted starts. Such an instant covers rounding
// errors only, so that events which a shift has separated remain separate. Without shifts, the
// result is that of the function above.
[[nodiscard]] inline double instant_end_s(double first_s, const StartShifts& shifts) {
  return shifts.most_s == 0 ? instant_end_s(first_s) : first_s + 1e-3 * shifts.most_s;
}

}}  // namespace tutti::sim
