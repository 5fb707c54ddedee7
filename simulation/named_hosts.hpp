// Ranks on hosts that somebody names: those that a scheduler gave to a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/machine.hpp"

namespace tutti::inline simulation {

// What was said, before any platform was asked whether it has such hosts.
struct NamedHosts {
  std::string option;    // "--hosts 'alloc.csv'", for messages
  std::string from;      // for people: the name of the file, or "--hosts"
  std::string file;      // as the user gave it; "" for a list
  bool by_rank = false;  // the host of each rank; else hosts, each of them once
  std::vector<std::string> names;
  std::vector<std::uint32_t> lines;  // where in the file each of them is, from 1 on; or empty
};

// The platform's own names, in its order.
[[nodiscard]] std::vector<std::string> host_names(const Machine& machine);

// Puts the machine's ranks on these hosts: as many on each as place_ranks() was told, or as is said
// for each. More than it takes are left over at the end. Throws UserError for hosts that the
// platform has not, for fewer hosts than it takes, and where hosts have no names.
void use_hosts(Machine& machine, const NamedHosts& named);

}  // namespace tutti::inline simulation
