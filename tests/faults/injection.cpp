#include "tests/faults/injection.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace tutti::faults {

namespace {

thread_local bool armed = false;
thread_local Fault fault;
thread_local std::uint64_t count = 0;
thread_local bool was_hit = false;

// Counts a call. Returns true if the fault affects this call.
bool strikes() {
  if (!armed) {
    return false;
  }
  ++count;
  const bool now = fault.at != 0 && (count == fault.at || (fault.lasting && count > fault.at));
  was_hit = was_hit || now;
  return now;
}

// Returns the C library's function `name`, which a function in this file replaces.
template <typename Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool fails(int error) {
  if (fault.kind == Kind::short_count || !strikes()) {
    return false;
  }
  errno = fault.kind == Kind::no_space ? error : EIO;
  return true;
}

// Returns how many of `bytes` the call may transfer, or -1 if it must fail.
ssize_t allowed(std::size_t bytes, int error) {
  if (!strikes()) {
    return static_cast<ssize_t>(bytes);
  }
  if (fault.kind == Kind::short_count) {
    return static_cast<ssize_t>(bytes < 2 ? bytes : bytes / 2);
  }
  errno = fault.kind == Kind::no_space ? error : EIO;
  return -1;
}

}  // namespace

ArmedFault::ArmedFault(const Fault& what) {
  fault = what;
  count = 0;
  was_hit = false;
  armed = true;
}

ArmedFault::~ArmedFault() { armed = false; }

std::uint64_t calls() { return count; }
bool hit() { return was_hit; }
}  // namespace tutti::faults

using tutti::faults::allowed;
using tutti::faults::behind;
using tutti::faults::fails;

// The functions below replace those of the C library. fopen() and fread() are replaced too, because
// the C library's versions would not call the open() and read() below.
extern "C" {

ssize_t read(int file, void* data, size_t bytes) {
  static auto* next = behind<ssize_t(int, void*, size_t)>("read");
  const ssize_t most = allowed(bytes, EIO);
  return most < 0 ? -1 : next(file, data, static_cast<size_t>(most));
}

ssize_t pread64(int file, void* data, size_t bytes, off64_t at) {
  static auto* next = behind<ssize_t(int, void*, size_t, off64_t)>("pread64");
  const ssize_t most = allowed(bytes, EIO);
  return most < 0 ? -1 : next(file, data, static_cast<size_t>(most), at);
}

ssize_t write(int file, const void* data, size_t bytes) {
  static auto* next = behind<ssize_t(int, const void*, size_t)>("write");
  const ssize_t most = allowed(bytes, ENOSPC);
  return most < 0 ? -1 : next(file, data, static_cast<size_t>(most));
}

ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  static auto* next = behind<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  const ssize_t most = allowed(bytes, ENOSPC);
  return most < 0 ? -1 : next(file, data, static_cast<size_t>(most), at);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* next = behind<ssize_t(int, const iovec*, int)>("writev");
  return fails(ENOSPC) ? -1 : next(file, parts, count);
}

int open(const char* path, int flags, ...) {
  static auto* next = behind<int(const char*, int, mode_t)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return fails(ENOSPC) ? -1 : next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  static auto* next = behind<int(const char*, int, mode_t)>("open64");
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return fails(ENOSPC) ? -1 : next(path, flags, mode);
}

int fsync(int file) {
  static auto* next = behind<int(int)>("fsync");
  return fails(ENOSPC) ? -1 : next(file);
}

int fdatasync(int file) {
  static auto* next = behind<int(int)>("fdatasync");
  return fails(ENOSPC) ? -1 : next(file);
}

int ftruncate64(int file, off64_t bytes) noexcept {
  static auto* next = behind<int(int, off64_t)>("ftruncate64");
  return fails(ENOSPC) ? -1 : next(file, bytes);
}

int rename(const char* from, const char* to) noexcept {
  static auto* next = behind<int(const char*, const char*)>("rename");
  return fails(ENOSPC) ? -1 : next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  static auto* next = behind<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return fails(ENOSPC) ? -1 : next(from_folder, from, to_folder, to, flags);
}

FILE* fopen(const char* path, const char* mode) {
  static auto* next = behind<FILE*(const char*, const char*)>("fopen");
  return fails(EIO) ? nullptr : next(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  static auto* next = behind<FILE*(const char*, const char*)>("fopen64");
  return fails(EIO) ? nullptr : next(path, mode);
}

size_t fread(void* data, size_t bytes, size_t items, FILE* file) {
  static auto* next = behind<size_t(void*, size_t, size_t, FILE*)>("fread");
  return fails(EIO) ? 0 : next(data, bytes, items, file);
}

}  // extern "C"
