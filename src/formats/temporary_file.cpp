#include "src/formats/temporary_file.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace tutti::inline formats {

namespace {

namespace fs = std::filesystem;

// Files with a name that an interrupt must take away: C strings, because a signal handler may touch
// little else. A few suffice: one per output option.
std::array<std::atomic<const char*>, 8> temporaries;
std::atomic<bool> others_end = false;
std::atomic<pid_t> owner_of_files;  // a child that was forked has nothing to take away

extern "C" void end_without_temporaries(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void remember(const char* path) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever chose to ignore a signal (nohup) keeps his choice.
    if ((signal == SIGHUP || !others_end) &&
        std::signal(signal, end_without_temporaries) == SIG_IGN) {
      std::signal(signal, SIG_IGN);
    }
  }
  owner_of_files = ::getpid();
  for (auto& slot : temporaries) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, path)) {
      return;
    }
  }
}

void forget(const char* path) {
  for (auto& slot : temporaries) {
    const char* expected = path;
    slot.compare_exchange_strong(expected, nullptr);
  }
}

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

std::string link_to(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// ".NAME." of ".NAME.PROCESS-NUMBER.part", within what a name may have.
std::string start_of(const std::string& target) {
  constexpr std::size_t kMostBytes = 200;
  return fmt::format(".{}.", fs::path(target).filename().string().substr(0, kMostBytes));
}

std::string new_name(const std::string& folder, const std::string& target) {
  static std::atomic<unsigned> made = 0;
  return (fs::path(folder) / fmt::format("{}{}-{}.part", start_of(target), ::getpid(), made++))
      .string();
}

bool is_temporary(std::string_view name, std::string_view start) {
  constexpr std::string_view kEnd = ".part";
  if (!name.starts_with(start) || !name.ends_with(kEnd) ||
      name.size() <= start.size() + kEnd.size()) {
    return false;
  }
  name.remove_prefix(start.size());
  name.remove_suffix(kEnd.size());
  const std::size_t dash = name.find('-');
  const auto digits = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return dash != name.npos && digits(name.substr(0, dash)) && digits(name.substr(dash + 1));
}

// Whether the name still leads to this file, and not to one that has taken its place since.
bool is_named(int file, int folder, const char* name) {
  struct stat opened {};
  struct stat there {};
  return ::fstat(file, &opened) == 0 && ::fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

// What a process that was killed had begun of this target. Whoever takes away, or gives, the name
// of such a file has its lock; so with the lock, and the name still its own, nobody else does:
// between the look at the name and its end it leads to the same file.
void remove_left_over(const std::string& folder, const std::string& target) {
  const std::string start = start_of(target);
  // The iterator of the standard library ends the program where it finds no memory for a name: it
  // goes on in a function that is noexcept, and makes a path there (libstdc++ 12, _Dir::advance()).
  ::DIR* const names = ::opendir(folder.c_str());
  if (names == nullptr) {
    return;
  }
  const int within = ::dirfd(names);
  while (const ::dirent* const entry = ::readdir(names)) {  // in which nothing throws
    if (!is_temporary(entry->d_name, start)) {
      continue;
    }
    const int file =
        ::openat(within, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
      if (::flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, within, entry->d_name)) {
        ::unlinkat(within, entry->d_name, 0);
      }
      ::close(file);
    }
  }
  ::closedir(names);
}

}  // namespace

void leave_interrupts_to_caller() { others_end = true; }

void remove_temporary_files() noexcept {
  if (::getpid() == owner_of_files.load()) {
    for (auto& slot : temporaries) {
      if (const char* path = slot.load(); path != nullptr) {
        ::unlink(path);
      }
    }
  }
}

DescriptorBuffer::DescriptorBuffer() : bytes_(std::make_unique<char[]>(kBytes)) {
  setp(bytes_.get(), bytes_.get() + kBytes);
}

DescriptorBuffer::~DescriptorBuffer() { take(-1); }

void DescriptorBuffer::take(int descriptor) noexcept {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  descriptor_ = descriptor;
}

int DescriptorBuffer::sync() {
  const char* at = pbase();
  while (error_ == 0 && at != pptr()) {
    const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (written < 0 && errno != EINTR) {
      error_ = errno;
    }
    at += std::max<ssize_t>(written, 0);
  }
  setp(bytes_.get(), bytes_.get() + kBytes);
  return error_ == 0 ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) {
    return traits_type::eof();
  }
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    sputc(traits_type::to_char_type(c));
  }
  return traits_type::not_eof(c);
}

TemporaryFile::TemporaryFile(std::string target, Kind kind)
    : target_(std::move(target)), buffer_(std::make_unique<DescriptorBuffer>()) {
  folder_ = fs::path(target_).parent_path().string();
  folder_ = folder_.empty() ? "." : folder_;
  remove_left_over(folder_, target_);
  if (kind == Kind::nameless_if_possible) {
    buffer_->take(::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
    // Its name is given to it by way of /proc.
    if (buffer_->descriptor() >= 0 && ::access(link_to(buffer_->descriptor()).c_str(), F_OK) != 0) {
      buffer_->take(-1);
    }
  }
  if (buffer_->descriptor() < 0) {
    open_named();
  }
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) {
    ::fchmod(buffer_->descriptor(), status.st_mode & 0777U);  // who may read it, goes on to
  }
}

void TemporaryFile::open_named() {
  // Between its making and its lock somebody may take it for left over.
  for (int tries = 0; tries < 100; ++tries) {
    std::string name = new_name(folder_, target_);
    const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) {
      continue;
    }
    if (file < 0) {
      fail(errno);
    }
    buffer_->take(file);
    struct stat status {};
    const bool taken = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken || (::fstat(file, &status) == 0 && status.st_nlink == 0)) {
      continue;  // whoever has the lock takes the name away, too
    }
    temporary_ = std::move(name);  // nothing may throw between its making and this
    remember(temporary_.c_str());
    return;
  }
  fail(EEXIST);
}

// Forgotten before it is gone: an interrupt in between leaves a file that the next one takes away,
// where the other way round it might take away what has come to bear the name.
TemporaryFile::~TemporaryFile() {
  if (!temporary_.empty()) {
    forget(temporary_.c_str());
    ::unlink(temporary_.c_str());
  }
}

void TemporaryFile::finish() {
  if (buffer_->pubsync() != 0) {
    fail(buffer_->error());
  }
  // A file system that cannot do it has nothing to do.
  if (::fsync(buffer_->descriptor()) != 0 && errno != EINVAL && errno != ENOSYS) {
    fail(errno);
  }
}

// One that has none yet. Its own right away, where nothing is in the way.
void TemporaryFile::give_name() {
  const std::string from = link_to(buffer_->descriptor());
  const auto error_of_link = [&from](const std::string& name) {
    const bool linked =
        ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    return linked ? 0 : errno;
  };
  int error = error_of_link(target_);
  if (error == 0) {
    return;
  }
  // No link takes the place of a file; a rename does.
  static_cast<void>(::flock(buffer_->descriptor(), LOCK_EX | LOCK_NB));
  while (error == EEXIST) {
    temporary_ = new_name(folder_, target_);
    remember(temporary_.c_str());
    error = error_of_link(temporary_);
    if (error != 0) {
      forget(temporary_.c_str());
      temporary_.clear();
    }
  }
  if (error != 0) {
    fail(error);
  }
}

void TemporaryFile::publish() {
  if (temporary_.empty()) {
    give_name();
  }
  if (!temporary_.empty()) {
    forget(temporary_.c_str());
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(errno);
    }
    temporary_.clear();
  }
  // The name is a matter of the folder, which has to be on the disk as well. Where the system does
  // not let us, the file is there all the same.
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    static_cast<void>(::fsync(folder));
    ::close(folder);
  }
}

}  // namespace tutti::inline formats
