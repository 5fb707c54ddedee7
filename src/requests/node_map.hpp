// Where the hosts of a real machine are: a table of hosts, their leaf switches and their groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/grouped.hpp"

namespace tutti::inline requests {

// CSV with columns host, leaf and group, and perhaps machine, of which `machine` picks the rows.
// Groups, their leaves and the hosts of these are in the order in which they first come. Throws
// UserError, which names file and line, for what is no such table, and for a host twice.
[[nodiscard]] std::vector<GroupOfLeaves> read_node_map(const std::string& path,
                                                       const std::optional<std::string>& machine);

}  // namespace tutti::inline requests
