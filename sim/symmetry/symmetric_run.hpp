// Runs one rank of each class for all, on any network, where that is exact.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedules/rank_part.hpp"
#include "sim/flow/alone_times.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/symmetry/platform_symmetry.hpp"

namespace tutti::inline sim {

// A schedule that is symmetric, of which classes of ranks are still to be found.
struct SymmetricSchedule {
  std::uint32_t ranks = 1;
  Symmetry symmetry = Symmetry::rotation;
  std::vector<Rank>
      distances;  // of the messages of any rank: distances() of schedules/rank_part.hpp
  // Emits the part of the first rank of each class: a function of its argument and nothing else.
  std::function<RankPart(const RankClasses&)> part;
};

struct SymmetricRun {
  RankPart part;
  Timeline timeline;
  AloneTimes alone;  // of the operations of the part, on the routes of the whole
};

// Nothing where the platform lets no ranks be alike, or where operations have waited for ports or
// cores.
[[nodiscard]] std::optional<SymmetricRun> run_symmetric(const SymmetricSchedule& schedule,
                                                        Network& network,
                                                        const FlowSetup& flow_setup,
                                                        const RunSetup& setup);

}  // namespace tutti::inline sim
