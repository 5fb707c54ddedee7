// In front of those of the C library, for all that is linked into this program.
#include "tests/src/formats/system_calls.hpp"

#include <sys/file.h>
#include <sys/syscall.h>

#include <cstdarg>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tutti {

std::function<void()> before_flock;
std::function<void()> before_open;

namespace {

void take_turn(std::function<void()>& doing) {
  if (const auto once = std::exchange(doing, nullptr)) {
    once();
  }
}

}  // namespace

}  // namespace tutti

extern "C" int flock(int descriptor, int operation) noexcept {
  tutti::take_turn(tutti::before_flock);
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

extern "C" int open(const char* path, int flags, ...) {
  tutti::take_turn(tutti::before_open);
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    std::va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
