// A case: an algorithm, the problem that it solves, and the machine that it runs on.
#pragma once

#include "schedules/algorithm.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

struct Case {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  const Machine* machine = nullptr;  // must outlive the case
  bool ties = false;  // check whether the total depends on tie-breaking, if the engine can
};

// Returns the case's machine, with its setup checking for ties if the case asks for it.
[[nodiscard]] Machine machine_of(const Case& what);

}  // namespace tutti::inline simulation
