// Reads the hosts of a job in common formats: lists as Slurm writes them, host files of schedulers
// and MPI libraries, and tables with a row for each rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/named_hosts.hpp"

namespace tutti::inline requests {

inline constexpr std::size_t kMostNamedHosts = 8'000'000;

// Returns the names in a list such as "node[001-003,7],gpu[1-2]x", in order. A number with fewer
// digits than the first number of its range is padded with zeros. Throws UserError if the list is
// invalid. Error messages begin with `from`, for example the name of the option that contains the
// list.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view from, std::string_view list);

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

}  // namespace tutti::inline requests
