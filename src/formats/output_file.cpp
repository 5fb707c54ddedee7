#include "src/formats/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_use.hpp"

namespace tutti::inline formats {

namespace {

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

struct FinishedFile {
  std::string path;
  std::unique_ptr<TemporaryFile> file;
};

std::vector<FinishedFile>& finished() {
  static std::vector<FinishedFile> files;
  return files;
}

// Throws UserError unless a file can be written there. Touches nothing.
void check_writable(const std::string& path) {
  if (path == "-") {
    return;
  }
  if (path.empty()) {
    refuse(path, ENOENT);
  }
  struct stat status {};
  // By the path as it is given: what /dev/fd/63 links to has no name of its own where it is a pipe.
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    refuse(path, errno);  // such as a name that is too long
  }
  if (exists && S_ISDIR(status.st_mode)) {
    refuse(path, EISDIR);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    refuse(path, errno);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return;
  }
  const std::string target = follow_links(path);
  if (target.back() == '/') {
    refuse(path, EISDIR);
  }
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  const char* const within = folder.empty() ? "." : folder.c_str();
  if (::stat(within, &status) != 0) {
    refuse(path, errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    refuse(path, ENOTDIR);
  }
  if (::access(within, W_OK | X_OK) != 0) {
    refuse(path, errno);
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path, std::ostream& standard_output)
    : path_(path), stream_(&standard_output) {
  if (path == "-") {
    return;
  }
  check_writable(path);
  if (struct stat status{}; ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    direct_ = std::make_unique<DescriptorBuffer>();
    direct_->take(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (direct_->descriptor() < 0 || ::fstat(direct_->descriptor(), &status) != 0) {
      refuse(path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
      own_stream_ = std::make_unique<std::ostream>(direct_.get());
      stream_ = own_stream_.get();
      return;
    }
    direct_.reset();  // a file has taken its place since: it stays whole until there is another one
  }
  try {
    file_ = std::make_unique<TemporaryFile>(follow_links(path));
  } catch (const std::system_error& error) {
    refuse(path, error.code().value());
  }
  own_stream_ = std::make_unique<std::ostream>(&file_->buffer());
  stream_ = own_stream_.get();
  register_output(path);
  registered_ = true;
}

OutputFile::~OutputFile() {
  if (registered_) {
    forget_output(path_);
  }
}

void OutputFile::commit() {
  errno = 0;
  stream_->flush();
  if (!*stream_) {
    const int error = file_ ? file_->error() : direct_ ? direct_->error() : errno;
    refuse_unfinished(path_ == "-" ? "standard output" : path_, error);
  }
  if (!file_) {
    return;
  }
  try {
    file_->finish();
  } catch (const std::system_error& error) {
    refuse_unfinished(path_, error.code().value());
  }
  finished().reserve(finished().size() + 1);  // without which the name would be lost on the way
  finished().push_back({path_, std::move(file_)});
  registered_ = false;  // by this object: publish_outputs() or discard_outputs() ends it
  stream_->rdbuf(nullptr);
}

void publish_outputs() {
  for (const FinishedFile& each : finished()) {
    check_not_read(each.path);
  }
  for (FinishedFile& each : finished()) {
    try {
      each.file->publish();
    } catch (const std::system_error& error) {
      const std::string path = each.path;
      discard_outputs();
      refuse(path, error.code().value());
    }
    forget_output(each.path);
  }
  finished().clear();
}

void discard_outputs() {
  for (const FinishedFile& each : finished()) {
    forget_output(each.path);
  }
  finished().clear();
}

}  // namespace tutti::inline formats
