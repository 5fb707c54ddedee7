// Lists the files of a platform, since SimGrid's XML may refer to other files.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace platforms {

// Attributes with which a SimGrid platform refers to other files: profiles and traces of hosts and
// links, and the `file` of <include> and <trace>.
inline constexpr std::array kFileAttributes{"file",       "availability_file", "speed_file",
                                            "state_file", "bandwidth_file",    "latency_file"};

// Returns the platform file and the existing files that it refers to, directly or through included
// files. Each file is listed once, in order of first reference. Registers all these files as
// inputs. Returns only `file` if it cannot be read, because loading the platform reports the error.
[[nodiscard]] std::vector<std::string> platform_files(const std::string& file);

// Returns what switches a host or a link off, as part of a sentence: " by host_off.profile", or "
// by the <trace> 'failures'". Returns "" if the platform file does not say.
[[nodiscard]] std::string switched_by(const std::string& file, std::string_view name);

}}  // namespace tutti::platforms
