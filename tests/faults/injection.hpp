// Injects one fault at a time: the k-th system call fails, or transfers less than it was asked for.
//
// This program defines its own read(), write() and so on, which the libraries call instead of those
// of the C library. Only calls by the thread that armed the fault are counted.
#pragma once

#include <cstdint>

namespace tutti::faults {

enum class Kind : std::uint8_t {
  io_error,     // EIO
  no_space,     // ENOSPC for writes, EIO for reads
  short_count,  // half of the bytes that read() or write() was asked for; no error
};

struct Fault {
  Kind kind = Kind::io_error;
  // Number of the call that fails, counted from 1. With 0, calls are counted but none fails.
  std::uint64_t at = 0;
  bool lasting = false;  // all later calls fail too
};

// Arms a fault for its lifetime.
class Armed {
 public:
  explicit Armed(const Fault& fault);
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;
  ~Armed();
};
// calls(): number of calls while the last fault was armed. hit(): true if the fault affected one of
// these calls.
[[nodiscard]] std::uint64_t calls();
[[nodiscard]] bool hit();

}  // namespace tutti::faults
