// Places ranks on hosts that the user names, such as those that a scheduler gave to a job, or on
// hosts drawn at random, as a scheduler gives a job whichever hosts are free.
#pragma once

#include <cstdint>

#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// Places the machine's ranks on these hosts. If `named` lists a host for each rank, each rank is
// placed on its host; otherwise each host gets as many ranks as place_ranks() has set. Hosts at the
// end of the list that are not needed stay unused. Throws UserError if the list is too short, if
// the platform lacks a host of the list, or if the platform's hosts have no names.
void use_hosts(Machine& machine, const NamedHosts& named);

// Places the machine's ranks on hosts drawn from the platform, in the platform's order. Each host
// gets as many ranks as place_ranks() has set. Throws UserError if the platform has too few hosts,
// and for the built-in crossbar, whose hosts are all alike.
void use_random_hosts(Machine& machine, std::uint32_t seed);

}}  // namespace tutti::simulation
