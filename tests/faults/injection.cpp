#include "tests/faults/injection.hpp"

#include <pugixml.hpp>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <sqlite3.h>
#include <string_view>
#include <unistd.h>

namespace tutti::faults {

namespace {

thread_local bool armed = false;
thread_local Fault fault;
thread_local std::uint64_t count = 0;
thread_local bool was_hit = false;
std::atomic<std::int64_t> live = 0;

// Whether what asks for memory is code of a library that must not fail, and ends the program if it
// does: the end of a JSON value, and CLI11's look for an option. In the program it is given memory
// from the reserve of base/memory_reserve.hpp. Asked for only of allocations that are to
// fail.
bool cannot_fail() {
  const bool was_armed = armed;
  armed = false;
  std::array<void*, 40> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  bool found = false;
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    if (::dladdr(frames[static_cast<std::size_t>(i)], &info) == 0 || info.dli_sname == nullptr) {
      continue;
    }
    const std::string_view symbol = info.dli_sname;
    found = found || symbol.find("_no_throw") != symbol.npos ||
            symbol.find("CLI3App10get_option") != symbol.npos ||  // which may have taken it in
            (symbol.find("basic_json") != symbol.npos &&
             (symbol.find("json_value7destroy") != symbol.npos || symbol.ends_with("D1Ev") ||
              symbol.ends_with("D2Ev")));
  }
  armed = was_armed;
  return found;
}

// Whether this call is the one.
bool strikes(bool allocation) {
  if (!armed || allocation != (fault.kind == Kind::allocation)) {
    return false;
  }
  ++count;
  const bool now = fault.at != 0 && (count == fault.at || (fault.lasting && count > fault.at)) &&
                   !(allocation && cannot_fail());
  was_hit = was_hit || now;
  return now;
}

void* take(std::size_t bytes) {
  if (strikes(true)) {
    return nullptr;
  }
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  live += memory == nullptr ? 0 : 1;
  return memory;
}

void give_back(void* memory) {
  live -= memory == nullptr ? 0 : 1;
  std::free(memory);
}

// The function of that name behind ours.
template <typename Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool fails(int error) {
  if (fault.kind == Kind::short_count || !strikes(false)) {
    return false;
  }
  errno = fault.kind == Kind::no_space ? error : EIO;
  return true;
}

// Of so many bytes; -1: fails.
ssize_t allowed(std::size_t bytes, int error) {
  if (!strikes(false)) {
    return static_cast<ssize_t>(bytes);
  }
  if (fault.kind == Kind::short_count) {
    return static_cast<ssize_t>(bytes < 2 ? bytes : bytes / 2);
  }
  errno = fault.kind == Kind::no_space ? error : EIO;
  return -1;
}

void* sqlite_take(int bytes) { return take(static_cast<std::size_t>(bytes)); }
void* sqlite_take_again(void* memory, int bytes) {
  return strikes(true) ? nullptr : std::realloc(memory, static_cast<std::size_t>(bytes));
}
int sqlite_size(void* memory) { return static_cast<int>(::malloc_usable_size(memory)); }
int sqlite_round_up(int bytes) { return (bytes + 7) & ~7; }
int sqlite_begin(void* /*unused*/) { return SQLITE_OK; }
void sqlite_end(void* /*unused*/) {}

}  // namespace

Armed::Armed(const Fault& what) {
  fault = what;
  count = 0;
  was_hit = false;
  armed = true;
}

Armed::~Armed() { armed = false; }

std::uint64_t calls() { return count; }
bool hit() { return was_hit; }
std::int64_t live_blocks() { return live; }

void count_memory_of_libraries() {
  static const sqlite3_mem_methods methods{sqlite_take, give_back,       sqlite_take_again,
                                           sqlite_size, sqlite_round_up, sqlite_begin,
                                           sqlite_end,  nullptr};
  // SQLite keeps small blocks of a connection to itself, without which every one counts.
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK ||
      sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK) {
    std::abort();
  }
  pugi::set_memory_management_functions(take, give_back);
  (void)cannot_fail();  // which loads a library the first time
}

}  // namespace tutti::faults

using tutti::faults::allowed;
using tutti::faults::behind;
using tutti::faults::fails;

void* operator new(std::size_t bytes) {
  void* memory = tutti::faults::take(bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return tutti::faults::take(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return tutti::faults::take(bytes);
}
void operator delete(void* memory) noexcept { tutti::faults::give_back(memory); }
void operator delete[](void* memory) noexcept { tutti::faults::give_back(memory); }
void operator delete(void* memory, std::size_t /*unused*/) noexcept {
  tutti::faults::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*unused*/) noexcept {
  tutti::faults::give_back(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*unused*/) noexcept {
  tutti::faults::give_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*unused*/) noexcept {
  tutti::faults::give_back(memory);
}

// The system's calls. Those of the C library go to each other without passing here, so fopen() and
// fread() are here too.
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
