#include "src/formats/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/file_use.hpp"
#include "src/formats/output_folder.hpp"

namespace tutti { inline namespace formats {

namespace fs = std::filesystem;

namespace {

// Index of the mark that named files have among the words of a stream.
int named_file_index() {
  static const int kIndex = std::ios_base::xalloc();
  return kIndex;
}

// Names of the .part files that exist now; null for a free entry. The pointers are atomic, so that
// the signal handler may read them. Some formats have a file for each rank.
std::array<std::atomic<const char*>, 4096> parts;
// The process that created the files. Its forked children do not remove these files.
std::atomic<pid_t> parts_owner;

void exchange_part(const char* from, const char* to) {
  for (auto& part : parts) {
    const char* expected = from;
    if (part.compare_exchange_strong(expected, to)) {
      return;
    }
  }
}

[[noreturn]] void refuse(const std::string& path, int error) {
  throw UserError(
      fmt::format("cannot write '{}': {}; give a path in an existing, writable folder, or - for "
                  "standard output",
                  path, std::strerror(error)));
}

[[noreturn]] void refuse_unfinished(const std::string& path, int error) {
  throw UserError(
      fmt::format("cannot write all of '{}'{}; give a path with enough free space", path,
                  error == 0 ? std::string() : fmt::format(": {}", std::strerror(error))));
}

// Throws UserError unless a file can be written at `path`, whose links lead to `target`. Does not
// change the file system.
void check_writable(const std::string& path, const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() || (error && status.type() != fs::file_type::not_found)) {
    refuse(path, path.empty() ? ENOENT : error.value());  // such as a name that is too long
  }
  if (fs::is_directory(status) || !target.has_filename()) {
    refuse(path, EISDIR);
  }
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) {
    refuse(path, errno);
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return;
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    refuse(path, error ? error.value() : fs::exists(folder, error) ? ENOTDIR : ENOENT);
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(path, errno);
  }
}

// Writes the file from the cache to the disk. Returns true on success, or if the file system does
// not support this.
bool is_synced(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced =
      file >= 0 && (::fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS);
  const int error = errno;
  if (file >= 0) {
    ::close(file);
  }
  errno = error;
  return synced;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, std::ostream& standard_output)
    : path_(path), target_(follow_links(path)), stream_(&standard_output) {
  if (path == "-") {
    return;
  }
  check_writable(path, target_);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  if (!direct) {
    register_output(path);
    const fs::path target = target_;
    // part_ contains at most this number of bytes of the file's name, to leave room for the suffix.
    constexpr std::size_t kMostBytes = 200;
    part_ =
        (target.parent_path() /
         fmt::format(".{}.{}.part", target.filename().string().substr(0, kMostBytes), ::getpid()))
            .string();
    parts_owner = ::getpid();
    exchange_part(nullptr, part_.c_str());
  }
  errno = 0;
  file_.open(direct ? path : part_, std::ios::binary);
  if (!file_) {
    const int why = errno;
    exchange_part(part_.c_str(), nullptr);
    refuse(path, why);
  }
  if (fs::exists(status) && !direct) {
    fs::permissions(part_, status.permissions(), error);  // keeps the old permissions
  }
  stream_ = &file_;
  if (path.ends_with(kGzipEnding)) {
    gzip_.emplace(file_);
    packed_.rdbuf(&*gzip_);
    stream_ = &packed_;
  }
  mark_as_named_file(*stream_);
}

void check_ending(std::string_view option, const std::string& path, const FileKind& kind) {
  const std::string_view unpacked = kind.may_be_packed ? without_gzip_ending(path) : path;
  const std::string ending = fs::path(unpacked).extension().string();
  if (path == "-" || ending.empty() ||
      std::ranges::find(kind.endings, std::string_view(ending)) != kind.endings.end()) {
    return;
  }
  throw UserError(fmt::format("{} '{}': the file contains {}, so its name must end in {}{}", option,
                              path, kind.what, fmt::join(kind.endings, " or "),
                              kind.may_be_packed ? fmt::format(" (or {}{}, which is compressed)",
                                                               kind.endings.front(), kGzipEnding)
                                                 : ""));
}

void mark_as_named_file(std::ostream& out) { out.iword(named_file_index()) = 1; }

bool is_of_named_file(std::ostream& out) { return out.iword(named_file_index()) == 1; }

OutputFile::~OutputFile() {
  if (!part_.empty()) {
    ::unlink(part_.c_str());
    exchange_part(part_.c_str(), nullptr);
  }
}

void OutputFile::finish() {
  if (finished_) {
    return;
  }
  errno = 0;
  if (gzip_ && *stream_ && !gzip_->finish()) {
    stream_->setstate(std::ios::failbit);
  }
  if (!stream_->flush() || (path_ != "-" && !file_.flush())) {
    refuse_unfinished(path_ == "-" ? "standard output" : path_, errno);
  }
  if (!part_.empty() && !is_synced(part_)) {
    refuse_unfinished(path_, errno);
  }
  file_.close();
  finished_ = true;
}

void OutputFile::commit() {
  OutputFile* const alone = this;
  commit_together({&alone, 1});
}

void OutputFile::take_name() {
  // The exchange keeps the old file, so that the name can be given back. Some file systems lack it.
  replaced_ = ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0;
  created_ = !replaced_ && errno == ENOENT;
  if (!replaced_ && ::rename(part_.c_str(), target_.c_str()) != 0) {
    refuse(path_, errno);
  }
}

void OutputFile::give_back_name() noexcept {
  if (replaced_) {
    ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE);
  } else if (created_) {
    ::rename(target_.c_str(), part_.c_str());
  }
}

namespace {

std::mutex names_mutex;
std::atomic<bool> names_changing = false;

}  // namespace

void keep_names() { names_mutex.lock(); }

bool names_change() noexcept { return names_changing; }

void commit_together(std::span<OutputFile* const> files, const OutputFolder* folder) {
  for (OutputFile* const file : files) {
    file->finish();
  }
  const std::lock_guard lock(names_mutex);
  names_changing = true;
  std::vector<OutputFile*> named;
  try {
    for (OutputFile* const file : files) {
      if (!file->part_.empty()) {
        file->take_name();
        named.push_back(file);
      }
    }
    if (folder != nullptr) {
      folder->take_name();
    }
  } catch (...) {
    for (OutputFile* const file : named) {
      file->give_back_name();
    }
    names_changing = false;
    throw;
  }
  for (OutputFile* const file : named) {
    if (file->replaced_) {
      ::unlink(file->part_.c_str());
    }
    exchange_part(file->part_.c_str(), nullptr);
    file->part_.clear();
  }
  names_changing = false;
}

void write_together(std::initializer_list<OutputToWrite> outputs, const OutputFolder* folder) {
  std::vector<OutputFile*> files;
  for (const OutputToWrite& each : outputs) {
    if (OutputFile* const file = each.output.file(); file != nullptr) {
      each.put(file->stream());
      files.push_back(file);
    }
  }
  commit_together(files, folder);
}

void remove_part_files() noexcept {
  if (::getpid() == parts_owner.load()) {
    for (auto& part : parts) {
      if (const char* path = part.load(); path != nullptr) {
        ::unlink(path);
      }
    }
  }
}

}}  // namespace tutti::formats
