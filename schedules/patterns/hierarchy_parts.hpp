// The algorithms that --within and --across name for the stages of a hierarchy, or that a stage
// takes where nobody says.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/options/stage_parts.hpp"

namespace tutti::inline schedules {

struct NamedPart {
  const Algorithm* algorithm = nullptr;
  OnePart part;
};
using NamedStage = BySegment<NamedPart>;

// One for each of the collectives of a level. Throws UserError that names the flag where `all` has
// other parts than these.
[[nodiscard]] std::vector<NamedStage> named_parts(std::string_view flag, const StageParts& all,
                                                  std::size_t level,
                                                  const std::vector<Collective>& collectives);

}  // namespace tutti::inline schedules
