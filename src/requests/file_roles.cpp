#include "src/requests/file_roles.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "platforms/platform_files.hpp"
#include "src/formats/file_identity.hpp"
#include "src/formats/output_file.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti {

namespace {

constexpr const char* kDatabases = "databases";  // of tutti query

struct NamedFile {
  std::string option;  // "--json"
  std::string path;
  bool database = false;
};

struct NamedFiles {
  std::vector<NamedFile> read;
  std::vector<NamedFile> written;
};

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

// A platform, and all that it names: they are read with it.
void add_platform(const NamedFile& platform, NamedFiles& files) {
  for (const std::string& more : platform_files(platform.path)) {
    files.read.push_back({platform.option, more});
  }
}

NamedFiles files_of(const CLI::App& command) {
  NamedFiles files;
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    for (const std::string& path : option->results()) {
      const NamedFile file{name_of(*option), path, false};
      if (type == kWrittenFileOrFolder && std::filesystem::is_directory(path)) {
        continue;  // files of other names go there
      }
      if (type == kWrittenFile || type == kWrittenFileOrFolder) {
        files.written.push_back(file);
      } else if (type == kResultsFile) {
        files.written.push_back({file.option, path, true});
      } else if (type == "ALG" ? means_file(path) : type.find("FILE") != type.npos) {
        files.read.push_back(file);
        if (file.option == "--platform") {
          add_platform(file, files);
        }
      }
    }
  }
  return files;
}

// Whether the file is the database, or what SQLite keeps beside it while somebody uses it.
bool is_of_database(const std::string& path, const std::string& database) {
  const std::string name = unique_name(database);
  for (const char* beside : {"", "-wal", "-shm", "-journal"}) {
    if (same_file(path, name + beside)) {
      return true;
    }
  }
  return false;
}

bool same(const NamedFile& a, const NamedFile& b) {
  return same_file(a.path, b.path) || (a.database && is_of_database(b.path, a.path)) ||
         (b.database && is_of_database(a.path, b.path));
}

bool is_file_of(int descriptor, const std::string& path) {
  struct stat of_descriptor {};
  struct stat of_path {};
  return ::fstat(descriptor, &of_descriptor) == 0 && S_ISREG(of_descriptor.st_mode) &&
         ::stat(path.c_str(), &of_path) == 0 && of_descriptor.st_dev == of_path.st_dev &&
         of_descriptor.st_ino == of_path.st_ino;
}

// A database holds the names of what its results were computed from, as text.
void check_names(const NamedFiles& files) {
  if (std::none_of(files.written.begin(), files.written.end(),
                   [](const NamedFile& file) { return file.database; })) {
    return;
  }
  for (const NamedFile& file : files.read) {
    if (file.option == kDatabases) {
      continue;  // whose rows are taken, and not their names
    }
    std::error_code error;
    const std::string path = std::filesystem::absolute(file.path, error).string();
    if (!is_utf8(path)) {
      throw UserError(fmt::format(
          "{} '{}': with --db the name has to be UTF-8; rename the file, or a folder on the way "
          "to it",
          file.option, path));
    }
  }
}

void check_standard_output(const NamedFiles& files) {
  for (const NamedFile& file : files.read) {
    if (is_file_of(STDOUT_FILENO, file.path)) {
      throw UserError(fmt::format(
          "{} '{}': standard output goes to this file, which is read; send it elsewhere",
          file.option, file.path));
    }
  }
  for (const NamedFile& file : files.written) {
    if (is_file_of(STDOUT_FILENO, file.path)) {
      throw UserError(fmt::format(
          "{} '{}': standard output goes to this file, too; send it elsewhere, or say {} -",
          file.option, file.path, file.option));
    }
  }
}

}  // namespace

void check_files(const CLI::App& command) {
  const NamedFiles files = files_of(command);
  for (std::size_t i = 0; i < files.written.size(); ++i) {
    const NamedFile& output = files.written[i];
    if (output.path == "-") {
      continue;
    }
    for (const NamedFile& input : files.read) {
      if (same(output, input) || is_of_database(output.path, input.path)) {
        throw UserError(fmt::format(
            "{} '{}' would write to '{}', which is read ({}); give it a path of its own",
            output.option, output.path, input.path, input.option));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same(output, files.written[j])) {
        throw UserError(fmt::format("{} '{}' and {} '{}' are one file; give each a file of its own",
                                    files.written[j].option, files.written[j].path, output.option,
                                    output.path));
      }
    }
    if (!output.database) {
      check_writable(output.path);
    }
  }
  check_names(files);
  check_standard_output(files);
}

}  // namespace tutti
