// The algorithms of the stages of a hierarchy: those that --within and --across name, or the
// defaults.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/options/stage_parts.hpp"

namespace tutti { inline namespace schedules {

struct NamedPart {
  const Algorithm* algorithm = nullptr;
  OnePart part;
};
using NamedStage = BySegment<NamedPart>;

// Returns one algorithm for each collective of a level. Throws UserError, which names `flag`, if
// `all` does not have one part for each collective, or if a part is invalid.
[[nodiscard]] std::vector<NamedStage> named_parts(std::string_view flag, const StageParts& all,
                                                  std::size_t level,
                                                  const std::vector<Collective>& collectives);

}}  // namespace tutti::schedules
