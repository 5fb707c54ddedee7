#include "src/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "schedules/error.hpp"

namespace tutti {

namespace {

// Temporary files that an interrupt must take away: C strings, because a signal handler may touch
// little else. A few suffice: one per output option.
std::array<std::atomic<const char*>, 8> temporaries;

extern "C" void remove_temporaries(int signal) {
  for (auto& slot : temporaries) {
    if (const char* path = slot.load(); path != nullptr) {
      ::unlink(path);
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void remember(const char* path) {
  static const bool installed = [] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      // Whoever chose to ignore a signal (nohup) keeps his choice.
      if (std::signal(signal, remove_temporaries) == SIG_IGN) {
        std::signal(signal, SIG_IGN);
      }
    }
    return true;
  }();
  static_cast<void>(installed);
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

[[noreturn]] void refuse(const std::string& path, int error) {
  throw UserError(
      fmt::format("cannot write '{}': {}; give a path in an existing, writable folder, or - for "
                  "standard output",
                  path, std::strerror(error)));
}

// `error` is 0 where what went wrong is no longer known.
[[noreturn]] void refuse_unfinished(const std::string& path, int error) {
  throw UserError(
      fmt::format("cannot write all of '{}'{}; give a path where there is room for it", path,
                  error == 0 ? std::string() : fmt::format(": {}", std::strerror(error))));
}

// What is being written: of two outputs to one file, the second would take the place of the first.
std::vector<std::string>& open_targets() {
  static std::vector<std::string> targets;
  return targets;
}

std::string unique_name(const std::string& target) {
  std::error_code none;
  const std::filesystem::path name =
      std::filesystem::weakly_canonical(std::filesystem::absolute(target, none), none);
  return none ? target : name.string();
}

// Follows symbolic links, so that the file is replaced and not the link.
std::string follow_links(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(target, error); ++links) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) {
      break;
    }
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path, std::ostream& standard_output)
    : path_(path), stream_(&standard_output) {
  if (path == "-") {
    return;
  }
  if (path.empty()) {
    refuse(path, ENOENT);
  }
  stream_ = &file_;
  struct stat status {};
  // By the path as it is given: what /dev/fd/63 links to has no name of its own where it is a pipe.
  const bool exists = ::stat(path.c_str(), &status) == 0;
  target_ = exists && !S_ISREG(status.st_mode) ? path : follow_links(path);
  if (exists && S_ISDIR(status.st_mode)) {
    refuse(path, EISDIR);
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) {
    refuse(path, errno);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file_.open(target_, std::ios::binary);
    if (!file_) {
      refuse(path, errno);
    }
    return;
  }
  if (target_.back() == '/') {
    refuse(path, EISDIR);
  }
  const std::string name = unique_name(target_);
  const std::vector<std::string>& taken = open_targets();
  if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    throw UserError(fmt::format(
        "cannot write '{}' twice: two outputs name it; give each a file of its own", path));
  }
  static std::atomic<unsigned> opened = 0;
  const std::filesystem::path as_path = target_;
  const std::string temporary =
      (as_path.parent_path() /
       fmt::format(".{}.{}-{}.part", as_path.filename().string(), ::getpid(), opened++))
          .string();
  const mode_t mode = exists ? status.st_mode & 0777U : 0666U;
  const int descriptor = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor < 0) {
    refuse(path, errno);
  }
  ::close(descriptor);
  temporary_ = temporary;
  remember(temporary_.c_str());
  file_.open(temporary_, std::ios::binary);
  if (!file_) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    forget(temporary_.c_str());
    refuse(path, error);
  }
  open_targets().push_back(name);
  name_ = name;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) {
    file_.close();
    ::unlink(temporary_.c_str());
    forget(temporary_.c_str());
  }
  release();
}

void OutputFile::release() {
  if (!name_.empty()) {
    std::erase(open_targets(), name_);
    name_.clear();
  }
}

void OutputFile::commit() {
  errno = 0;
  stream_->flush();
  if (!*stream_) {
    refuse_unfinished(path_ == "-" ? "standard output" : path_, errno);
  }
  if (stream_ != &file_) {
    return;
  }
  file_.close();
  if (!file_) {
    refuse_unfinished(path_, errno);
  }
  if (temporary_.empty()) {
    return;
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    refuse(path_, errno);
  }
  forget(temporary_.c_str());
  temporary_.clear();
  release();
}

}  // namespace tutti
