// Output files that are written completely or not at all.
#pragma once

#include <fstream>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.hpp"

namespace tutti { inline namespace formats {

class OutputFolder;

// Writes the file .NAME.PROCESS.part, where PROCESS is the process id, beside the file NAME.
// commit() renames the .part file to NAME. Without commit(), nothing is left behind, and an
// existing file NAME stays as it was. "-" is standard output; pipes and devices are written
// directly. Not thread-safe.
class OutputFile {
 public:
  // If the path ends in .gz, the file is compressed. Throws UserError if the path cannot be
  // written, if the command reads that file, or if another output uses the same path. Open all
  // outputs before any long work.
  OutputFile(const std::string& path, std::ostream& standard_output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  // Writes all data to the disk and closes the file, to which nothing can be written after that.
  // Throws UserError on failure.
  void finish();
  // Calls finish(), and gives the file its name. Throws UserError if either fails.
  void commit();

 private:
  friend void commit_together(std::span<OutputFile* const>, const OutputFolder*);
  // Gives the finished file its name, and the old file of that name that of the .part file. Throws
  // UserError on failure.
  void take_name();
  // Undoes take_name().
  void give_back_name() noexcept;

  std::string path_;    // as the user wrote it
  std::string target_;  // the file that path_ leads to
  std::string part_;    // "" for standard output, pipes and devices, and after commit()
  std::ofstream file_;
  std::optional<GzipBuffer> gzip_;
  std::ostream packed_{nullptr};  // writes to gzip_
  std::ostream* stream_;
  bool finished_ = false;
  bool replaced_ = false;  // true if, after take_name(), part_ is the old file
  bool created_ = false;   // true if there was no old file
};

// Commits all files and, if `folder` is given, gives it its final name: all outputs are written, or
// none is. Throws UserError if a file cannot be written or renamed.
void commit_together(std::span<OutputFile* const> files, const OutputFolder* folder = nullptr);

// Contents of a file that an option names, and the endings that its name may have. The first ending
// is the usual one.
struct FileKind {
  std::string_view what;  // "JSON"
  std::vector<std::string_view> endings;
  bool may_be_packed = true;  // false: programs that read the file do not read .gz
};
inline const FileKind kJsonFile{"JSON", {".json"}};
inline const FileKind kCsvFile{"comma-separated values", {".csv", ".txt"}};
inline const FileKind kParametersKind{"parameters as JSON", {".json"}, false};
inline const FileKind kPlatformKind{"a platform as XML", {".xml"}, false};
// Throws UserError if the name of the file has an ending, perhaps before .gz, that is not one of
// the kind. `option` names the file, for error messages. "-" and names without an ending are right.
void check_ending(std::string_view option, const std::string& path, const FileKind& kind);

// True if the stream is that of an OutputFile other than standard output.
[[nodiscard]] bool is_of_named_file(std::ostream& out);
// Marks a stream whose text will be written to such a file.
void mark_as_named_file(std::ostream& out);

// An optional output, which exists if the user asked for it. It is opened before any long work.
class OptionalOutput {
 public:
  OptionalOutput(const std::optional<std::string>& path, std::ostream& standard_output) {
    if (path) {
      file_.emplace(*path, standard_output);
    }
  }
  // Also throws what check_ending() throws.
  OptionalOutput(std::string_view option, const std::optional<std::string>& path,
                 const FileKind& kind, std::ostream& standard_output) {
    if (path) {
      file_.emplace(*path, standard_output);
      check_ending(option, *path, kind);
    }
  }

  explicit operator bool() const { return file_.has_value(); }
  // If the user asked for the output, calls put(stream), and then commits the file. Commands with
  // several outputs use write_together().
  template <typename Put>
  void write(Put&& put) {
    if (file_) {
      put(file_->stream());
      file_->commit();
    }
  }
  [[nodiscard]] OutputFile* file() { return file_ ? &*file_ : nullptr; }

 private:
  std::optional<OutputFile> file_;
};

// An output of a command, and the function that writes it.
struct OutputToWrite {
  OptionalOutput& output;
  std::function<void(std::ostream&)> put;
};
// Writes the outputs that the user asked for, and then commits them together.
void write_together(std::initializer_list<OutputToWrite> outputs,
                    const OutputFolder* folder = nullptr);

// Waits until no output is getting its name, and keeps outputs from getting their names. Call this
// function before the process ends because of a signal.
void keep_names();
// True while outputs get their names. A signal handler may call this function.
[[nodiscard]] bool names_change() noexcept;

// Removes the .part files of this process. A signal handler may call this function.
void remove_part_files() noexcept;

}}  // namespace tutti::formats
