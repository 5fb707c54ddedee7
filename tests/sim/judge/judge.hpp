// Defines the judge, a slow reference engine that follows only the text of the model (README.md in
// this folder) and recomputes everything at each event. It shares no code with the engines and uses
// numbers of higher precision. It decides which of two engines is right.
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
  bool fatpipe = false;  // each message may use the link's full bandwidth
};

struct JudgeRoute {
  double latency_s = 0;
  // Links in any order, with the number of times that the route crosses each of them. On a route
  // without links, only the latency counts.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
};

struct JudgeHost {
  double flops_per_s = 0;  // of one core
  std::uint32_t cores = 1;
};

// A platform in plain numbers, so that a test can write one by hand.
struct JudgePlatform {
  std::vector<JudgeLink> links;
  std::vector<JudgeHost> hosts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, JudgeRoute> routes;  // by hosts (from, to)
  std::vector<std::uint32_t> host_of_rank;
  double flops_per_byte = 0.125;  // for reductions
  double copy_s_per_byte = 0;
  bool free_transfers = false;  // messages take only their latency
  // Imitates a fault of SimGrid: if the free share of a link is less than this value, the link no
  // longer limits messages. The model itself has the value 0.
  double overlooked = 0;
};

// The value of JudgePlatform::overlooked with which the judge imitates faults 2 and 3 of SimGrid
// 3.32: see sim/simgrid/README.md.
inline constexpr double kOverlookedBySimGrid = 1e-5;

enum class Arithmetic : std::uint8_t {
  extended,  // long double, 64 bits: fast enough for thousands of cases
  quad,      // binary floating point, 113 bits
  exact,     // rational numbers, whose length grows with every event: only for small schedules
};

// Delays every operation by a random share of the simulated time at which it starts, and changes
// the capacity of every link by a random share, to reveal times that depend on a tie.
struct Nudge {
  std::uint64_t seed = 0;
  double parts = 0;  // largest share, such as 1e-12
};

struct JudgeTimes {
  Timeline timeline;
  // Smallest distance of an event from the end of an instant (a short interval whose events count
  // as simultaneous), in widths of the instant. If this distance is less than kNoTie, rounding may
  // make an engine order events differently from the judge.
  double nearest_border = std::numeric_limits<double>::infinity();
};

// In an engine that calculates in doubles, each event adds a rounding error of about 1e-16 of the
// simulated time, and the width of an instant is at least 1e-11 of the simulated time. An event
// closer to the end of an instant than kNoTie times this width may fall on either side of the end.
inline constexpr double kNoTie = 1e-3;

// Returns the times of a schedule. Does not support measured costs (RunSetup::curves). Throws
// InvariantError if the schedule does not finish, or if a message makes no progress.
[[nodiscard]] JudgeTimes judge(const Schedule& schedule, const RunSetup& setup,
                               const JudgePlatform& platform,
                               Arithmetic arithmetic = Arithmetic::extended,
                               const Nudge& nudge = {});

}  // namespace tutti
