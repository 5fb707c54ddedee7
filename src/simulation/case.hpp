// A case: an algorithm, the problem that it solves, and the machine that it runs on.
#pragma once

#include "schedules/algorithm.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

struct Case {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  const Machine* machine = nullptr;  // must outlive the case
  // True if the run is to check whether the total time depends on tie-breaking. Ignored if the
  // engine cannot check this.
  bool ties = false;
};

// Returns a copy of the case's machine. If Case::ties is set, the copy's setup requests a check for
// ties.
[[nodiscard]] Machine machine_of(const Case& what);

}}  // namespace tutti::simulation
