// Ranks on hosts that somebody names: those that a scheduler gave to a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// The platform's own names, in its order.
[[nodiscard]] std::vector<std::string> host_names(const Machine& machine);

// Puts the machine's ranks on these hosts: as many on each as place_ranks() was told, or as is said
// for each. More than it takes are left over at the end. Throws UserError for hosts that the
// platform has not, for fewer hosts than it takes, and where hosts have no names.
void use_hosts(Machine& machine, const NamedHosts& named);

}  // namespace tutti::inline simulation
