// Memory for arrays of many megabytes. Half of the time to build a large schedule goes into page
// faults on new memory. Huge pages cause 512 times fewer page faults.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti { inline namespace base {

// Asks the system to use huge pages for memory that has not been touched yet. This is only a hint:
// it has no effect on a system without huge pages, or if `bytes` is less than 4 MiB.
void advise_huge_pages(void* begin, std::size_t bytes);

// Like array.reserve(size), with huge pages for the new memory.
template <typename T>
void reserve_large(std::vector<T>& array, std::size_t size) {
  if (size > array.capacity()) {
    array.reserve(size);
    advise_huge_pages(array.data() + array.size(), (array.capacity() - array.size()) * sizeof(T));
  }
}

}}  // namespace tutti::base
