// Reads the map of a real machine. A map is a table in which each row names a host, the host's leaf
// switch and the host's group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/grouped.hpp"

namespace tutti { inline namespace requests {

// Reads a CSV file with columns host, leaf and group, and optionally machine. If `machine` is set,
// reads only the rows of that machine. Groups, their leaf switches and their hosts are in the order
// in which they first appear. Throws a UserError that names the file and the line if the table is
// invalid or lists a host twice.
[[nodiscard]] std::vector<GroupOfLeaves> read_node_map(const std::string& path,
                                                       const std::optional<std::string>& machine);

}}  // namespace tutti::requests
