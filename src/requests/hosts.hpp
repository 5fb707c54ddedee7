// The hosts of a job as users have them: in lists as Slurm writes them, in files of schedulers and
// of MPI libraries, and by rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/named_hosts.hpp"

namespace tutti::inline requests {

inline constexpr std::size_t kMostNamedHosts = 8'000'000;

// "node[001-003,7],gpu[1-2]x": the names that it stands for, in order; a number has as many digits
// as the first of its range. `from` is for messages. Throws UserError.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view from, std::string_view list);

// --hosts: a file where there is one of that name, else a list. A file is CSV with columns rank and
// host; a rankfile (rank 0=host slot=0); or has a host or list a line, perhaps with slots=N, or :N,
// behind a host that so many ranks are on. '#' begins a comment. Throws UserError for what is none
// of these, a host twice where each is to be there once, a rank twice, and a rank left out.
[[nodiscard]] NamedHosts read_hosts(const std::string& text);

}  // namespace tutti::inline requests
