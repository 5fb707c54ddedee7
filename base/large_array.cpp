#include "base/large_array.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tutti { inline namespace base {

void advise_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kWorthwhile = std::size_t{4} << 20U;
  if (bytes < kWorthwhile) {
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (address + bytes) / kPage * kPage;
  // A failure is ignored, because it does not change results.
  static_cast<void>(
      madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_HUGEPAGE));
#endif
}

}}  // namespace tutti::base
