#include "base/memory_reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace tutti::inline base {

namespace {

std::atomic<void*> small_reserve = nullptr;
std::atomic<void*> large_reserve = nullptr;
std::atomic<std::size_t> large_bytes = 0;

void give_back() {
  if (void* const small = small_reserve.exchange(nullptr)) {
    std::free(small);
    return;
  }
  std::set_new_handler(nullptr);
  std::free(large_reserve.exchange(nullptr));
  large_bytes = 0;
  throw std::bad_alloc();
}

}  // namespace

void keep_memory_for_the_way_out() noexcept {
  // Below what the C library takes from the system by the piece, so that small blocks fit into it.
  constexpr std::size_t kBytes = std::size_t{96} << 10U;
  if (small_reserve.load() == nullptr) {
    small_reserve = std::malloc(kBytes);
  }
  if (small_reserve.load() != nullptr) {
    std::set_new_handler(give_back);
  }
}

void keep_memory_for_json(std::size_t values) noexcept {
  // The list has 16 bytes for each value of the widest part; and the C library its own.
  const std::size_t bytes = 16 * values + (std::size_t{64} << 10U);
  if (bytes > large_bytes) {
    std::free(large_reserve.exchange(nullptr));
    large_reserve = std::malloc(bytes);
    large_bytes = large_reserve.load() != nullptr ? bytes : 0;
  }
}

}  // namespace tutti::inline base
