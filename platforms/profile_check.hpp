// Checks profiles, with which a SimGrid platform says how a link or a host changes with time.
// SimGrid ends the process at some values.
#pragma once

#include <string>

namespace pugi {
class xml_node;
}

namespace tutti { inline namespace platforms {

// Checks the profiles that an element of the platform in `file` names: in an attribute such as
// bandwidth_file, or as a <trace_connect>. Returns the first value that cannot be simulated, such
// as "the profile 'x.bw', line 2: a bandwidth of -1; it must be more than 0". Returns "" if there
// is none. A line that is not a time and a value, and a missing file, are left to SimGrid.
[[nodiscard]] std::string fault_in_profiles(const pugi::xml_node& node, const std::string& file);

}}  // namespace tutti::platforms
