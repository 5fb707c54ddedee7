#include "base/machine_memory.hpp"

#include <limits>
#include <unistd.h>

namespace tutti { inline namespace base {

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
             : std::numeric_limits<std::uint64_t>::max();
}

}}  // namespace tutti::base
