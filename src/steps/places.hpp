// The order in which a step's schedule numbers the ranks, and which of them it has.
//
// The replicas of a step are the positions on one axis of its layout, such as dp. If moving all
// ranks along this axis maps the step onto itself, the replicas do the same at the same time, and
// the schedule has only the first of them. A place is the number of a rank in this schedule: the
// axis of the replicas changes slowest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/steps/call_parts.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

struct StepPlaces {
  std::vector<Rank> rank_of_place;  // of all ranks
  std::vector<std::uint32_t> place_of_rank;
  // Places in the schedule: the first ones. Each stands for `rank_of_place.size() / simulated`
  // ranks.
  std::uint32_t simulated = 0;

  [[nodiscard]] bool all() const { return simulated == rank_of_place.size(); }
};

// Returns the places if every rank is simulated.
[[nodiscard]] StepPlaces all_places(std::uint32_t ranks);

// Returns the places of the axis with which the fewest ranks must be simulated, as far as the
// schedules show; nothing if there is none. `simulated` is the least number that the schedules
// allow; a platform may need a multiple of it.
[[nodiscard]] std::optional<StepPlaces> replicated_places(const StepDescription& step,
                                                          const CallParts& parts);

}}  // namespace tutti::steps
