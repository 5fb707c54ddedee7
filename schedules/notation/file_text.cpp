#include "schedules/notation/file_text.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "schedules/error.hpp"

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
  throw UserError(fmt::format("'{}' cannot be read: {}", path, std::strerror(error)));
}

}  // namespace

FileText::FileText(const std::string& path) {
  constexpr std::size_t kWorthMapping = std::size_t{4} << 20U;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    fail_reading(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    throw UserError(fmt::format("'{}' is a folder, and a file is wanted", path));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < kWorthMapping || !map(file.number(), size)) {
    read(file.number(), path);
  }
}

FileText::~FileText() {
  if (mapped_ != nullptr) {
    ::munmap(mapped_, mapped_bytes_);
  }
}

bool FileText::map(int file, std::size_t size) {
  // A page more, of zeros: where the file fills its last page, that is the NUL behind it.
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
  static_cast<void>(::madvise(all, size, MADV_SEQUENTIAL));  // a hint
  mapped_ = all;
  size_ = size;
  mapped_bytes_ = room;
  return true;
}

void FileText::read(int file, const std::string& path) {
  constexpr std::size_t kChunk = std::size_t{1} << 18U;
  for (std::size_t size = 0;;) {
    read_.resize(size + kChunk);
    const ssize_t got = ::read(file, read_.data() + size, kChunk);
    if (got < 0 && errno != EINTR) {
      fail_reading(path, errno);
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
    read_.resize(size);
    if (got == 0) {
      return;
    }
  }
}

}  // namespace tutti
