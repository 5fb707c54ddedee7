// What is run: an algorithm, on a problem, on a machine.
#pragma once

#include "schedules/algorithm.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

struct Case {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  const Machine* machine = nullptr;  // must outlive it
  bool ties = false;                 // look whether the total depends on ties, if it may
};

// The machine of a case, which looks for ties where the case asks for that.
[[nodiscard]] Machine machine_of(const Case& what);

}  // namespace tutti::inline simulation
