// Reads the hosts of a job in the forms that users have: lists as Slurm writes them, files of
// schedulers and of MPI libraries, and tables with a row for each rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/named_hosts.hpp"

namespace tutti::inline requests {

inline constexpr std::size_t kMostNamedHosts = 8'000'000;

// Returns the names in a list such as "node[001-003,7],gpu[1-2]x", in order. Each number has at
// least as many digits as the first one of its range. Error messages begin with `from`, which says
// where the list comes from. Throws UserError.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view from, std::string_view list);

// Reads the value of --hosts: the name of a file, or a list of hosts. A file has one of these
// forms:
// - CSV with columns rank and host;
// - a rankfile (rank 0=host slot=0);
// - one host or list of hosts on each line, optionally followed by the number of ranks on each of
//   these hosts: slots=N or :N.
//
// '#' begins a comment. Throws UserError for other forms, for a host that appears twice without
// numbers of ranks, and for a rank that appears twice or is missing.
[[nodiscard]] NamedHosts read_hosts(const std::string& text);

}  // namespace tutti::inline requests
