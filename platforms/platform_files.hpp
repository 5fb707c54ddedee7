// The files of a platform: SimGrid's XML may name others.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tutti::inline platforms {

// Attributes with which a SimGrid platform names further files: profiles and traces of hosts and
// links, and <include file="">, <trace file="">.
inline constexpr std::array kFileAttributes{"file",       "availability_file", "speed_file",
                                            "state_file", "bandwidth_file",    "latency_file"};

// The platform file, and those that it names as far as they are there: files that it includes, with
// what these name, profiles and traces of what changes with time. Each once, in the order in which
// they are named. Only `file` itself if it cannot be read; loading it says why. Registers all of
// them as inputs.
[[nodiscard]] std::vector<std::string> platform_files(const std::string& file);

}  // namespace tutti::inline platforms
