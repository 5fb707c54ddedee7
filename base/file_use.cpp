#include "base/file_use.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"

namespace tutti::inline base {

namespace {

struct FilesInUse {
  std::mutex mutex;
  std::set<std::string> read;  // paths as the user wrote them
  std::vector<std::string> written;
};

FilesInUse& files_in_use() {
  static FilesInUse files;
  return files;
}

// One name for each file, however the path says it; also if the file, or folders on the way to it,
// do not exist.
std::string unique_name(const std::string& path) {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::weakly_canonical(
      std::filesystem::absolute(follow_links(path), error), error);
  return error ? path : name.string();
}

bool standard_output_goes_to(const std::string& path) {
  struct stat of_output {};
  struct stat of_path {};
  return ::fstat(STDOUT_FILENO, &of_output) == 0 && S_ISREG(of_output.st_mode) &&
         ::stat(path.c_str(), &of_path) == 0 && of_output.st_dev == of_path.st_dev &&
         of_output.st_ino == of_path.st_ino;
}

[[noreturn]] void refuse(const std::string& output, const std::string& input) {
  throw UserError(fmt::format(
      "'{}' would overwrite '{}', which this command reads; give the output another path", output,
      input));
}

void check_not_read(const std::string& path, const FilesInUse& files) {
  for (const std::string& input : files.read) {
    if (same_file(path, input)) {
      refuse(path, input);
    }
  }
}

}  // namespace

std::string follow_links(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target, error); ++links) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) {
      break;
    }
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  const bool a_exists = ::stat(a.c_str(), &of_a) == 0;
  const bool b_exists = ::stat(b.c_str(), &of_b) == 0;
  if (a_exists && b_exists) {
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  }
  return !a_exists && !b_exists && unique_name(a) == unique_name(b);
}

void register_input(const std::string& path) {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.read.insert(path);
  if (standard_output_goes_to(path)) {
    throw UserError(fmt::format(
        "standard output goes to '{}', which this command reads; send it to another file", path));
  }
  for (const std::string& output : files.written) {
    if (same_file(output, path)) {
      refuse(output, path);
    }
  }
}

void register_output(const std::string& path) {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  if (standard_output_goes_to(path)) {
    throw UserError(fmt::format(
        "standard output goes to '{}' as well; send it to another file, or write to -", path));
  }
  check_not_read(path, files);
  for (const std::string& other : files.written) {
    if (same_file(path, other)) {
      throw UserError(fmt::format("'{}' and '{}' are one file; give each output a file of its own",
                                  other, path));
    }
  }
  files.written.push_back(path);
}

void forget_output(const std::string& path) {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  if (const auto found = std::find(files.written.begin(), files.written.end(), path);
      found != files.written.end()) {
    files.written.erase(found);
  }
}

void check_not_read(const std::string& path) {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  check_not_read(path, files);
}

std::vector<std::string> registered_inputs() {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  return {files.read.begin(), files.read.end()};
}

void forget_inputs() {
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.read.clear();
}

}  // namespace tutti::inline base
