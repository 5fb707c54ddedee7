// Injects one fault at a time: a system call fails, or transfers fewer bytes than requested.
//
// This program defines its own read(), write() and so on, which the libraries call instead of those
// of the C library. Only calls by the thread that armed the fault are counted.
#pragma once

#include <cstdint>

namespace tutti::faults {

enum class Kind : std::uint8_t {
  io_error,     // the call fails with EIO
  no_space,     // a write fails with ENOSPC, a read with EIO
  short_count,  // read() or write() transfers only half of the bytes, without an error
};

struct Fault {
  Kind kind = Kind::io_error;
  // Number of the call that fails, counted from 1. With 0, calls are counted but none fails.
  std::uint64_t at = 0;
  bool lasting = false;  // true if all later calls fail too
};

// The constructor arms a fault, and the destructor disarms it.
class ArmedFault {
 public:
  explicit ArmedFault(const Fault& fault);
  ArmedFault(const ArmedFault&) = delete;
  ArmedFault& operator=(const ArmedFault&) = delete;
  ~ArmedFault();
};
// Returns the number of calls made while the most recent fault was armed.
[[nodiscard]] std::uint64_t calls();
// Returns true if the fault affected one of these calls.
[[nodiscard]] bool hit();

}  // namespace tutti::faults
