// Lists the files that make up a platform, since SimGrid's XML may refer to further files.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tutti::inline platforms {

// Attributes with which a SimGrid platform refers to further files: profiles and traces of hosts
// and links, <include file=""> and <trace file="">.
inline constexpr std::array kFileAttributes{"file",       "availability_file", "speed_file",
                                            "state_file", "bandwidth_file",    "latency_file"};

// Returns the platform file and the existing files that it refers to, directly or through included
// files. Each file is listed once, in order of first reference. Returns only `file` if it cannot be
// read; loading it reports the error. Registers all files as inputs.
[[nodiscard]] std::vector<std::string> platform_files(const std::string& file);

}  // namespace tutti::inline platforms
