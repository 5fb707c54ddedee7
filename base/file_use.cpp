#include "base/file_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace tutti { inline namespace base {

namespace fs = std::filesystem;

namespace {

struct FilesInUse {
  std::mutex mutex;
  std::set<std::string> read;  // paths as the user wrote them
  std::set<std::string> written;
};

FilesInUse& files_in_use() {
  static FilesInUse files;
  return files;
}

[[noreturn]] void refuse(const std::string& output, const std::string& input) {
  throw UserError(fmt::format(
      "'{}' would overwrite '{}', which this command reads; give the output another path", output,
      input));
}

bool standard_output_goes_to(const std::string& path) { return same_file("/dev/stdout", path); }

}  // namespace

std::string follow_links(const std::string& path) {
  std::error_code error;
  fs::path target = path;
  constexpr int kMostLinks = 40;  // Linux has the same limit
  for (int links = 0; links < kMostLinks && fs::is_symlink(target, error); ++links) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target.string();
}

void check_file_name(const std::string& path) {
  const bool control = std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control || (is_utf8(path) && !is_printable(path))) {
    throw UserError(fmt::format(
        "'{}': this name has control characters, such as line ends; rename the file", path));
  }
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) || fs::exists(b, error)) {
    return fs::equivalent(a, b, error) && fs::is_regular_file(a, error);
  }
  const auto unique_name = [&error](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(follow_links(path), error), error);
  };
  return unique_name(a) == unique_name(b);
}

void register_input(const std::string& path) {
  check_file_name(path);
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.read.insert(path);
  if (standard_output_goes_to(path)) {
    throw UserError(
        fmt::format("standard output goes to '{}', which this command reads; redirect standard "
                    "output to another file",
                    path));
  }
  for (const std::string& output : files.written) {
    if (same_file(output, path)) {
      refuse(output, path);
    }
  }
}

void register_output(const std::string& path) {
  check_file_name(path);
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  if (standard_output_goes_to(path)) {
    throw UserError(
        fmt::format("standard output goes to '{}' as well; redirect standard output to another "
                    "file, or give - as the path",
                    path));
  }
  for (const std::string& input : files.read) {
    if (same_file(path, input)) {
      refuse(path, input);
    }
  }
  for (const std::string& other : files.written) {
    if (same_file(path, other)) {
      throw UserError(fmt::format("'{}' and '{}' are the same file; give each output its own file",
                                  other, path));
    }
  }
  files.written.insert(path);
}

std::vector<std::string> registered_inputs() {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  return {files.read.begin(), files.read.end()};
}

void forget_files() {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.read.clear();
  files.written.clear();
}

}}  // namespace tutti::base
