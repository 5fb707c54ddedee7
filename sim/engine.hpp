// The one interface of all engines: schedule and setup in, start and end of every operation out.
//
// Rules of order, the same in every engine (they make engines comparable and runs repeatable):
// - events closer than instant_end_s() says are one instant;
// - all completions of an instant are taken first, and operations of no duration that become ready
//   finish at once;
// - only then does what may start, start, in the order of operation ids; one that must wait for a
//   port or a core does not hold back a later one.
// sim/dispatcher.hpp implements them.
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
  // Messages that a rank may send at a time, and as many that it may receive. The published
  // formulas assume 1; kUnlimitedPorts shows what non-blocking messages do to the network.
  std::uint32_t ports = 1;
  // A message of at most so many bytes is eager, as MPI libraries send small ones: it leaves as
  // soon as its sender is ready, whether or not the receiver is, and its sender goes on at once; it
  // is over at the receiver when it has arrived and the receiver is ready for it. Ports and links
  // are held as by any other message. Below 0: none is eager.
  std::int64_t eager_bytes = -1;
  // False: eager messages need no ports, as where a library has a buffer for each of them.
  bool eager_takes_ports = true;
  // Measured costs in place of alpha, beta, gamma and the price of copies; the first operation
  // starts after their start_s.
  std::shared_ptr<const CostCurves> curves = nullptr;
  // Whether two ranks share a node, where `curves` knows both kinds of messages.
  std::function<bool(Rank, Rank)> same_node = [](Rank, Rank) { return true; };
  // When the first operation may start.
  double start_s = 0;
  // Gives up, by throwing GaveUp, once the clock has passed this. Of the engines flow and
  // critical-path.
  double give_up_s = std::numeric_limits<double>::infinity();
  // Whether the total hangs on ties: what to look for, and the starts of a run that looks. Of the
  // engines flow and critical-path.
  TieProbe ties = {};
  StartShifts shifts = {};
  // Operations of which it is told what held them back, and links of which it is told how much of
  // them is in use; null: none. Of the flow engine.
  Watched watched = nullptr;
  // Ranks that begin late, and times that vary. Likewise.
  Disturbance disturbance = {};
};

class GaveUp : public UserError {
 public:
  GaveUp() : UserError("the run takes longer than it was asked to look at") {}
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // Throws InvariantError that names an operation and what it waits for, should one not finish.
  [[nodiscard]] virtual Timeline run(const Schedule& schedule, const RunSetup& setup) = 0;
};

// Events from first_s up to this belong to the instant first_s: 1 ps, or 1e-11 of the clock if that
// is more, because rounding grows with the clock.
[[nodiscard]] inline double instant_end_s(double first_s) {
  return first_s + std::max(1e-12, 1e-11 * first_s);
}

// In a run with starts moved, what that has set apart must stay so: only rounding is one instant.
[[nodiscard]] inline double instant_end_s(double first_s, const StartShifts& shifts) {
  return shifts.most_s == 0 ? instant_end_s(first_s) : first_s + 1e-3 * shifts.most_s;
}

}  // namespace tutti::inline sim
