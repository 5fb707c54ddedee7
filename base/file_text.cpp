#include "base/file_text.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/file_marks.hpp"
#include "base/file_use.hpp"
#include "base/gzip.hpp"
#include "base/nearest.hpp"
#include "base/provenance.hpp"

namespace tutti { inline namespace base {

namespace {

// Largest content of a pipe, in bytes. There is a limit because the whole content is kept in
// memory, and the size of the content is unknown in advance.
constexpr std::uint64_t kMostThroughPipe = std::uint64_t{1} << 30U;

// Owns a file descriptor, and closes it at the end of its lifetime.
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

[[noreturn]] void fail_reading(const std::string& path, int error, const InputKind& kind) {
  throw UserError(fmt::format("'{}' cannot be read: {}{}", path, std::strerror(error),
                              error == ENOENT ? nearest_file(path, kind) : ""));
}

std::string_view kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

[[noreturn]] void refuse_special(const std::string& path, mode_t mode, const InputKind& kind) {
  throw UserError(fmt::format(
      "'{}' is {}; {} must be a regular file{}", path, kind_of(mode), kind.in_words,
      kind.through_pipes && !S_ISDIR(mode) ? " or an anonymous pipe, such as <(command)" : ""));
}

[[noreturn]] void refuse_size(const std::string& path, std::uint64_t bytes, std::uint64_t most,
                              const InputKind& kind) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
  throw UserError(
      bytes == 0
          ? fmt::format(
                "'{}' contains more than {} MiB, the limit for {} from a pipe; use a regular file",
                path, most / kMebi, kind.in_words)
          : fmt::format("'{}' has {} bytes; {} may have at most {} MiB", path, bytes, kind.in_words,
                        most / kMebi));
}

// True if the file descriptor `file` is an anonymous pipe, which has no name in any folder.
bool is_nameless_pipe(int file) {
  std::array<char, 32> target{};
  const ssize_t size =
      ::readlink(fmt::format("/proc/self/fd/{}", file).c_str(), target.data(), target.size());
  return size > 0 &&
         std::string_view(target.data(), static_cast<std::size_t>(size)).starts_with("pipe:");
}

InputKind through_pipe(InputKind kind) {
  kind.most_bytes = std::min(kind.most_bytes, kMostThroughPipe);
  return kind;
}

}  // namespace

FileText::FileText(const std::string& path, const InputKind& kind) {
  constexpr std::size_t kWorthMapping = std::size_t{4} << 20U;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    fail_reading(path, errno, kind);
  }
  // The kind of file is checked before the file is opened, because opening a device can have side
  // effects.
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    refuse_special(path, status.st_mode, kind);
  }
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    fail_reading(path, errno, kind);
  }
  if (S_ISFIFO(status.st_mode) && kind.through_pipes && is_nameless_pipe(file.number())) {
    // Clears O_NONBLOCK, so that read() waits for the writer.
    ::fcntl(file.number(), F_SETFL, O_RDONLY);
    read(file.number(), path, through_pipe(kind));
    return;
  }
  if (!S_ISREG(status.st_mode)) {
    refuse_special(path, status.st_mode, kind);
  }
  register_input(path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > kind.most_bytes) {
    refuse_size(path, size, kind.most_bytes, kind);
  }
  if (size < kWorthMapping || !map(file.number(), size)) {
    // The limit for pipes applies, because the file may be larger than its stated size: it may be
    // growing, or may be a file in /proc.
    read(file.number(), path, through_pipe(kind));
  }
  add_provenance(path, view());
  if (is_gzip(view())) {
    if (!kind.through_pipes) {
      unmap();
      throw UserError(fmt::format("'{}' is compressed with gzip; unpack it first", path));
    }
    // The unpacked text is kept in memory, as that of a pipe is.
    std::string text = unpacked(view(), path, through_pipe(kind).most_bytes);
    unmap();
    read_ = std::move(text);
  }
}

FileText::~FileText() { unmap(); }

void FileText::unmap() {
  if (mapped_ != nullptr) {
    ::munmap(std::exchange(mapped_, nullptr), mapped_bytes_);
  }
}

bool FileText::map(int file, std::size_t size) {
  // Maps one additional page of zeros, which provides the NUL if the file fills its last page.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t room = (size / page + 2) * page;
  void* const all = ::mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return false;
  }
  if (::mmap(all, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
    ::munmap(all, room);
    return false;
  }
  static_cast<void>(::madvise(all, size, MADV_SEQUENTIAL));
  mapped_ = all;
  size_ = size;
  mapped_bytes_ = room;
  return true;
}

void FileText::read(int file, const std::string& path, const InputKind& kind) {
  constexpr std::size_t kChunk = std::size_t{1} << 18U;
  for (std::size_t size = 0;;) {
    read_.resize(size + kChunk);
    const ssize_t got = ::read(file, read_.data() + size, kChunk);
    if (got < 0 && errno != EINTR) {
      fail_reading(path, errno, kind);
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
    if (size > kind.most_bytes) {
      refuse_size(path, 0, kind.most_bytes, kind);
    }
    read_.resize(size);
    if (got == 0) {
      return;
    }
  }
}

std::string read_file(const std::string& path, const InputKind& kind) {
  return std::string(FileText(path, kind).view());
}

std::optional<std::string_view> special_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return kind_of(status.st_mode);
}

FileContent content_of(std::string_view text) {
  constexpr std::size_t kLooksAt = 4096;
  const std::string_view all = text.substr(0, kLooksAt);
  const std::size_t first = std::min(all.find_first_not_of(" \t\r\n\xef\xbb\xbf"), all.size());
  const std::string_view begin = all.substr(first);
  if (begin.starts_with('<')) {
    return xml_root(begin) == "platform" ? FileContent::platform : FileContent::xml;
  }
  if (begin.starts_with('{') || begin.starts_with("[{")) {
    return FileContent::json;
  }
  if (begin.starts_with("tutti-") || begin.starts_with("num_ranks")) {
    return FileContent::schedule;
  }
  if (begin.starts_with(kDatabaseMark)) {
    return FileContent::database;
  }
  return benchmark_mark(all).empty() ? FileContent::unknown : FileContent::benchmark;
}

FileContent content_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return FileContent::unknown;
  }
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4096> bytes{};
  file.read(bytes.data(), bytes.size());
  return content_of({bytes.data(), static_cast<std::size_t>(file.gcount())});
}

std::string_view in_words(FileContent content) {
  switch (content) {
    case FileContent::unknown:
      break;
    case FileContent::platform:
      return "a platform in XML";
    case FileContent::xml:
      return "a file in XML";
    case FileContent::json:
      return "a JSON file";
    case FileContent::schedule:
      return "a schedule or program";
    case FileContent::benchmark:
      return "the output of a benchmark";
    case FileContent::database:
      return "an SQLite database";
  }
  return "a file";
}

}}  // namespace tutti::base
