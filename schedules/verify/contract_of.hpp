// The contract that a schedule must fulfil.
#pragma once

#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

[[nodiscard]] inline Contract contract_of(const Schedule& schedule,
                                          bool work_starts_undefined = false) {
  const Problem& problem = schedule.problem();
  return {problem.collective, problem.ranks, schedule.blocks(), problem.root,
          work_starts_undefined};
}

}}  // namespace tutti::schedules
