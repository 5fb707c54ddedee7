// Places ranks on hosts that the user names, such as those that a scheduler gave to a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Returns the names of the platform's hosts, in the platform's order.
[[nodiscard]] std::vector<std::string> host_names(const Machine& machine);

// Places the machine's ranks on these hosts. If `named` lists a host for each rank, each rank is
// placed on its host; otherwise each host gets as many ranks as place_ranks() has set. Hosts at the
// end of the list that are not needed stay unused. Throws UserError if the list is too short, if
// the platform lacks a host of the list, or if the platform's hosts have no names.
void use_hosts(Machine& machine, const NamedHosts& named);

}  // namespace tutti::inline simulation
