// Simulates one rank of each class in place of all ranks, on any network, if the result is exact.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedules/rank_part.hpp"
#include "sim/flow/alone_times.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/symmetry/platform_symmetry.hpp"

namespace tutti { inline namespace sim {

// A symmetric schedule whose classes of ranks are not known yet.
struct SymmetricSchedule {
  std::uint32_t ranks = 1;
  Symmetry symmetry = Symmetry::rotation;
  // Distances over which the ranks of each class send, as distances() of schedules/rank_part.hpp
  // returns them. Moves of ranks are multiples of the number of classes.
  std::vector<std::vector<Rank>> distances;
  // Builds the part of the schedule for the first rank of each class, with this many rounds of each
  // stretch of rounds that are alike. The result must depend on the arguments only.
  std::function<RankPart(const RankClasses&, std::uint32_t most_rounds)> part;
  // True if switches take part. They exchange messages with ranks only, each with ranks at the same
  // switch of the platform.
  bool has_switches = false;
  // False: all rounds are simulated, also those that repeat.
  bool leaves_out_rounds = false;
  // True if `part` leaves out rounds only if RankClasses::others_alike().
  bool rounds_need_others_alike = false;
};

struct SymmetricRun {
  RankPart part;
  Timeline timeline;
  AloneTimes alone;  // for the operations of the part, on the routes of the whole network
};

// Simulates the schedule. Returns nothing if no two ranks are equivalent on the platform, or if
// operations waited for ports or cores. `switch_of_rank` has the switch of each rank, if switches
// take part, and is empty otherwise.
[[nodiscard]] std::optional<SymmetricRun> run_symmetric(
    const SymmetricSchedule& schedule, Network& network, const FlowSetup& flow_setup,
    const RunSetup& setup, std::span<const std::uint32_t> switch_of_rank = {});

}}  // namespace tutti::sim
