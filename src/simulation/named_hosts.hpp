// Places ranks on hosts that the user names, such as those that a scheduler gave to a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Returns the names of the platform's hosts, in its order.
[[nodiscard]] std::vector<std::string> host_names(const Machine& machine);

// Places the machine's ranks on these hosts, with as many ranks on each as place_ranks() has set,
// or as `named` lists for each rank. Hosts at the end that are not needed stay unused. Throws
// UserError if the platform lacks one of the hosts, if there are too few hosts, or if its hosts
// have no names.
void use_hosts(Machine& machine, const NamedHosts& named);

}  // namespace tutti::inline simulation
