// What is run: an algorithm, on a problem, on a machine.
#pragma once

#include "schedules/algorithm.hpp"
#include "simulation/machine.hpp"

namespace tutti {

struct Case {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  const Machine* machine = nullptr;  // must outlive it
};

}  // namespace tutti
