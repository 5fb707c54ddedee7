// One thing that goes wrong at a time: the k-th allocation finds no memory, the k-th call of the
// system fails or does less than it was asked for.
//
// This program has its own operator new and its own read(), write() and so on, in front of those of
// the libraries, whose code calls them too. Only what the thread does that armed a fault counts.
#pragma once

#include <cstdint>

namespace tutti::faults {

enum class Kind : std::uint8_t {
  allocation,   // std::bad_alloc; of SQLite and pugixml, a null pointer
  io_error,     // EIO
  no_space,     // ENOSPC of what writes, EIO of what reads
  short_count,  // half of what read() or write() was asked for; no error
};

struct Fault {
  Kind kind = Kind::allocation;
  std::uint64_t at = 0;  // counted from 1; 0: never, calls are only counted
  bool lasting = false;  // every call from then on
};

// Armed while it lives.
class Armed {
 public:
  explicit Armed(const Fault& fault);
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;
  ~Armed();
};
// Of the last that was armed: how many calls there were, and whether one of them was made to fail.
[[nodiscard]] std::uint64_t calls();
[[nodiscard]] bool hit();

// Blocks of memory that were taken and not given back, of all that this program counts.
[[nodiscard]] std::int64_t live_blocks();

// SQLite and pugixml take memory where it counts. Before either is used.
void count_memory_of_libraries();

}  // namespace tutti::faults
