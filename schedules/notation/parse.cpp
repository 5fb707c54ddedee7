#include "schedules/notation/parse.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>

#include "schedules/assemble.hpp"
#include "schedules/large_array.hpp"
#include "schedules/notation/header.hpp"
#include "schedules/notation/scanner.hpp"
#include "schedules/notation/statements.hpp"

namespace tutti {

namespace {

// Closes what it holds.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_reading(const std::string& path, int error) {
  throw UserError(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

// Read and not mapped: a file that somebody shortens meanwhile would end the program.
std::string contents(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    fail_reading(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    throw UserError(fmt::format("{}: a folder; a file with a schedule is wanted", path));
  }
  constexpr std::size_t kChunk = std::size_t{1} << 16U;
  std::string text;
  if (status.st_size > 0) {
    text.reserve(static_cast<std::size_t>(status.st_size) + 1);
    advise_huge_pages(text.data(), text.capacity());
  }
  for (std::size_t size = 0;;) {
    const std::size_t room = std::max(kChunk, std::min(text.capacity() - size, kChunk * 64));
    text.resize(size + room);
    const ssize_t got = ::read(file.number(), text.data() + size, room);
    if (got < 0 && errno != EINTR) {
      fail_reading(path, errno);
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
    text.resize(size);
    if (got == 0) {
      return text;
    }
  }
}

}  // namespace

ParsedSchedule parse_notation(const std::string& text, std::string_view file,
                              const ParseLimits& limits) {
  Scanner scanner(text, file);
  NotationHeader header = parse_header(scanner, limits);
  ScheduleParts parts;
  parts.problem = std::move(header.problem);
  parts.layout = std::move(header.layout);
  StatementsParser statements(scanner, limits, parts);
  statements.parse();
  if (statements.in_order()) {
    const std::uint32_t slots = statements.scratch_slots();
    return {std::move(header.algorithm), link(std::move(parts), slots)};
  }
  try {
    return {std::move(header.algorithm), assemble(std::move(parts))};
  } catch (const CycleError& error) {
    const char* const place = statements.place_of_cycle(error.ops());
    scanner.fail(place != nullptr ? place : text.data(), error.what());
  }
}

ParsedSchedule read_notation(const std::string& path) {
  return parse_notation(contents(path), path);
}

}  // namespace tutti
