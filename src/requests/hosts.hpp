// Reads the hosts of a job in common formats: lists as Slurm writes them, host files of schedulers
// and MPI libraries, and tables with a row for each rank.
#pragma once

#include <string>

#include "src/simulation/machine_spec.hpp"

namespace tutti { inline namespace requests {

// Reads the value of --hosts: the name of a file, or a list of hosts. A file has one of these
// forms:
// - CSV with columns rank and host;
// - a rankfile (rank 0=host slot=0);
// - one host or list of hosts on each line, optionally followed by the number of ranks on each of
//   these hosts: slots=N or :N.
//
// '#' begins a comment. Throws UserError for other formats, for a host that appears twice in a list
// without numbers of ranks, and for a rank that appears twice or is missing.
[[nodiscard]] NamedHosts read_hosts(const std::string& text);

}}  // namespace tutti::requests
