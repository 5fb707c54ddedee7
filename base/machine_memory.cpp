#include "base/machine_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <unistd.h>

#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
             : kUnknown;
}

std::uint64_t limit_of_process() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                : kUnknown;
}

// Returns the number in a file, or kUnknown if the file does not exist or contains "max".
std::uint64_t number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kUnknown;
}

}  // namespace

std::uint64_t control_group_bytes(std::string_view groups, std::string_view root) {
  std::uint64_t least = kUnknown;
  for (const std::string_view line : split(groups, '\n')) {
    // 0::/GROUP of version 2, or N:CONTROLLERS:/GROUP of version 1.
    const std::vector<std::string_view> parts = split(line, ':');
    if (parts.size() < 3) {
      continue;
    }
    const std::vector<std::string_view> controllers = split(parts[1], ',');
    const bool of_memory = std::ranges::find(controllers, "memory") != controllers.end();
    if (!of_memory && !parts[1].empty()) {
      continue;
    }
    const std::filesystem::path top = std::filesystem::path(root) / (of_memory ? "memory" : "");
    for (auto at = std::filesystem::path(parts[2]).relative_path();; at = at.parent_path()) {
      least = std::min(least,
                       number_in(top / at / (of_memory ? "memory.limit_in_bytes" : "memory.max")));
      if (at.empty()) {
        break;
      }
    }
  }
  return least;
}

std::uint64_t usable_memory_bytes() {
  static const std::uint64_t bytes = [] {
    std::ifstream file("/proc/self/cgroup");
    const std::string groups{std::istreambuf_iterator<char>(file), {}};
    return std::min({physical_memory_bytes(), limit_of_process(),
                     control_group_bytes(groups, "/sys/fs/cgroup")});
  }();
  return bytes;
}

}}  // namespace tutti::base
