// One thing that goes wrong at a time: the k-th system call fails, or does less than it was asked
// for.
//
// This program has its own read(), write() and so on, in front of those of the C library, so the
// libraries call them too. Only calls of the thread that armed a fault count.
#pragma once

#include <cstdint>

namespace tutti::faults {

enum class Kind : std::uint8_t {
  io_error,     // EIO
  no_space,     // ENOSPC of what writes, EIO of what reads
  short_count,  // half of what read() or write() was asked for; no error
};

struct Fault {
  Kind kind = Kind::io_error;
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

}  // namespace tutti::faults
