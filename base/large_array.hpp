// Room for arrays of many megabytes. Half of the time to emit a large schedule goes into the page
// faults of memory that is touched for the first time; with huge pages they are 512 times fewer.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti::inline base {

// Asks the system for huge pages in memory that nobody has touched yet. A hint: where the system
// has none, or for a few megabytes, nothing happens.
void advise_huge_pages(void* begin, std::size_t bytes);

// As array.reserve(size).
template <typename T>
void reserve_large(std::vector<T>& array, std::size_t size) {
  if (size > array.capacity()) {
    array.reserve(size);
    advise_huge_pages(array.data() + array.size(), (array.capacity() - array.size()) * sizeof(T));
  }
}

}  // namespace tutti::inline base
