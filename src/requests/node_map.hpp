// Reads the map of a real machine: a table with a row for each host, which names the host's leaf
// switch and group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/grouped.hpp"

namespace tutti::inline requests {

// Reads a CSV file with columns host, leaf and group, and optionally machine. If `machine` is set,
// reads only the rows of that machine. Groups, their leaf switches and their hosts are in the order
// in which they first appear. Throws UserError, which names file and line, for an invalid table and
// for a host that appears twice.
[[nodiscard]] std::vector<GroupOfLeaves> read_node_map(const std::string& path,
                                                       const std::optional<std::string>& machine);

}  // namespace tutti::inline requests
