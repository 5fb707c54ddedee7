// The memory that this process may use.
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti { inline namespace base {

// Returns the size of physical memory or, if it is less, the limit of the process (ulimit -v) or of
// one of its control groups, as batch systems and containers set them. Returns the largest 64-bit
// number if nothing is known.
[[nodiscard]] std::uint64_t usable_memory_bytes();

// Returns the least limit of the control groups that `groups`, the content of /proc/self/cgroup,
// names, and of those above them; the largest 64-bit number if there is none. `root` is the folder
// in which the groups are mounted, /sys/fs/cgroup.
[[nodiscard]] std::uint64_t control_group_bytes(std::string_view groups, std::string_view root);

}}  // namespace tutti::base
