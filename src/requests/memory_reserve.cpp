#include "src/requests/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tutti {

namespace {

std::atomic<void*> reserve = nullptr;

void give_it_back() {
  std::free(reserve.exchange(nullptr));
  std::set_new_handler(nullptr);
}

}  // namespace

void keep_memory_for_the_way_out() noexcept {
  // The list is as long as what is nested, 16 bytes for each value of the widest part; and below
  // what the C library takes from the system by the piece, so that small blocks fit into it.
  constexpr std::size_t kBytes = std::size_t{96} << 10U;
  if (reserve.load() == nullptr) {
    reserve = std::malloc(kBytes);
  }
  if (reserve.load() != nullptr) {
    std::set_new_handler(give_it_back);
  }
}

}  // namespace tutti
