// Memory for arrays of many megabytes. Page faults on new memory take half of the time of building
// a large schedule. Huge pages cause 512 times fewer of them.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti::inline base {

// Asks the system to use huge pages for memory that has not been touched yet. This is only a hint:
// it has no effect on a system without huge pages, or on less than 4 MiB.
void advise_huge_pages(void* begin, std::size_t bytes);

// Like array.reserve(size), with huge pages for the new memory.
template <typename T>
void reserve_large(std::vector<T>& array, std::size_t size) {
  if (size > array.capacity()) {
    array.reserve(size);
    advise_huge_pages(array.data() + array.size(), (array.capacity() - array.size()) * sizeof(T));
  }
}

}  // namespace tutti::inline base
