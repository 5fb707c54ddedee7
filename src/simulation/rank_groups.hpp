// Groups of ranks that depend on the machine: --groups host, switch, group or node.
#pragma once

#include "schedules/problem.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// Replaces the words host, switch, group and node, which depend on the platform and the mapping, by
// groups of ranks. Throws UserError if the platform has no such groups, or does not say which hosts
// form them.
void place_groups(const Machine& machine, Problem& problem);

}}  // namespace tutti::simulation
