// Interface of all engines. Input: a schedule and a setup. Output: start and end of every
// operation.
//
// Rules of order, the same in every engine, so that engines are comparable and runs repeatable:
// - Events up to instant_end_s() after the first one belong to the same instant.
// - All completions of an instant come first. Operations of zero duration that become ready then
//   finish at once.
// - After that, operations start in the order of their ids. An operation that must wait for a
//   port or a core does not hold back later ones.
// sim/dispatcher.hpp implements these rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/schedule.hpp"
#include "sim/disturbance.hpp"
#include "sim/flow_record.hpp"
#include "sim/ties.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline sim {

inline constexpr std::uint32_t kUnlimitedPorts = 0;

struct RunSetup {
  // Number of messages that a rank may send at a time, and number that it may receive. The
  // published formulas assume 1. kUnlimitedPorts shows what non-blocking messages do to the
  // network.
  std::uint32_t ports = 1;
  // Messages of at most this many bytes are eager, as small messages in MPI libraries are. An eager
  // message leaves as soon as its sender is ready, whether or not the receiver is, and its sender
  // goes on at once. It ends at the receiver when it has arrived and the receiver is ready for it.
  // It holds ports and links like any other message. Negative: no message is eager.
  std::int64_t eager_bytes = -1;
  // False: eager messages need no ports, as in a library with a buffer for each of them.
  bool eager_takes_ports = true;
  // Measured costs, which replace alpha, beta, gamma and the price of copies. The first operation
  // starts at their start_s.
  std::shared_ptr<const CostCurves> curves = nullptr;
  // True if two ranks share a node. Used if `curves` has separate costs for messages within a node.
  std::function<bool(Rank, Rank)> same_node = [](Rank, Rank) { return true; };
  // Earliest start of the first operation.
  double start_s = 0;
  // The run throws GaveUp once the clock has passed this time. Engines flow and critical-path only.
  double give_up_s = std::numeric_limits<double>::infinity();
  // `ties`: the search for ties that change the total. `shifts`: the shifted starts of one run of
  // that search. Engines flow and critical-path only.
  TieProbe ties = {};
  StartShifts shifts = {};
  // The operations and links to record in FlowRecord; null: none. Flow engine only.
  Watched watched = nullptr;
  // Ranks that begin late, and times that vary. Engines flow and critical-path only.
  Disturbance disturbance = {};
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
  // Throws InvariantError if an operation cannot finish; the message names it and what it waits
  // for.
  [[nodiscard]] virtual Timeline run(const Schedule& schedule, const RunSetup& setup) = 0;
};

// End of the instant that begins at first_s. An instant lasts 1 ps, or 1e-11 of the clock if that
// is more, because rounding errors grow with the clock.
[[nodiscard]] inline double instant_end_s(double first_s) {
  return first_s + std::max(1e-12, 1e-11 * first_s);
}

// With shifted starts, an instant covers rounding errors only, so that events which a shift has
// separated remain separate.
[[nodiscard]] inline double instant_end_s(double first_s, const StartShifts& shifts) {
  return shifts.most_s == 0 ? instant_end_s(first_s) : first_s + 1e-3 * shifts.most_s;
}

}  // namespace tutti::inline sim
