// The judge: what a schedule takes on a platform by the text of the model alone (README.md beside
// this file), looked at again from scratch at every event. It is slow, shares no code with the
// engines, and computes in numbers that are finer than theirs: who of two engines is right is
// settled here.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"

namespace tutti {

struct JudgeLink {
  double bytes_per_s = 0;
  bool fatpipe = false;  // each message may have all of it
};

struct JudgeRoute {
  double latency_s = 0;
  // Links in any order, and how often the route crosses them. None: only the latency counts.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
};

struct JudgeHost {
  double flops_per_s = 0;  // of one core
  std::uint32_t cores = 1;
};

// Plain figures, so that a case can be written by hand.
struct JudgePlatform {
  std::vector<JudgeLink> links;
  std::vector<JudgeHost> hosts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, JudgeRoute> routes;  // by hosts, from and to
  std::vector<std::uint32_t> host_of_rank;
  double flops_per_byte = 0.125;  // of a reduction
  double copy_s_per_byte = 0;
  bool free_transfers = false;  // messages take their latency only
  // Not the model's: a link with less than this part of it left limits nobody.
  double overlooked = 0;
};

// What SimGrid 3.32 does: faults 2 and 3 of sim/simgrid/README.md.
inline constexpr double kOverlookedBySimGrid = 1e-5;

enum class Arithmetic : std::uint8_t {
  extended,  // long double, 64 bits: for thousands of cases
  quad,      // 113 bits
  digits_100,
  digits_400,
  exact,  // rational numbers, whose digits multiply with every event: for small schedules
};

// Moves the start of every operation and the capacity of every link by random parts of at most
// this, so that what hangs on a tie shows.
struct Nudge {
  std::uint64_t seed = 0;
  double parts = 0;  // of the clock, and of the capacity
};

struct JudgedTimes {
  Timeline timeline;
  // How near an event came to the border of an instant that it was taken into, or left out of: in
  // widths of the instant. An engine in doubles cannot be held to the judge's order where this is
  // less than its rounding, kNoTie.
  double nearest_border = std::numeric_limits<double>::infinity();
};

// Rounding of doubles is some 1e-16 of the clock for each event that times are sums of, and an
// instant is at least 1e-11 of the clock wide: a border nearer than this may fall either way.
inline constexpr double kNoTie = 1e-3;

// Knows no measured costs (RunSetup::curves). Throws InvariantError for a schedule that does not
// finish, or of which a message does not move.
[[nodiscard]] JudgedTimes judge(const Schedule& schedule, const RunSetup& setup,
                                const JudgePlatform& platform,
                                Arithmetic arithmetic = Arithmetic::extended,
                                const Nudge& nudge = {});

}  // namespace tutti
