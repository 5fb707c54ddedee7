// Output files that are written completely or not at all.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>

namespace tutti::inline formats {

// Writes the file .NAME.PROCESS.part, where PROCESS is the process id, beside the file NAME.
// commit() renames the .part file to NAME. Without commit(), nothing is left behind, and an
// existing file NAME stays as it was. "-" is standard output; pipes and devices are written
// directly. Not thread-safe.
class OutputFile {
 public:
  // Throws UserError if the path cannot be written, if the command reads that file, or if another
  // output uses the same path. Open all outputs before any long work.
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
  std::string path_;    // as the user wrote it
  std::string target_;  // the file that path_ leads to
  std::string part_;    // "" for standard output, pipes and devices, and after commit()
  std::ofstream file_;
  std::ostream* stream_;
  bool finished_ = false;
};

// An optional output, which exists if the user asked for it. It is opened before any long work.
class AskedOutput {
 public:
  AskedOutput(const std::optional<std::string>& path, std::ostream& standard_output) {
    if (path) {
      file_.emplace(*path, standard_output);
    }
  }

  explicit operator bool() const { return file_.has_value(); }
  // If the user asked for the output, calls put(stream), and then commits the file.
  template <typename Put>
  void write(Put&& put) {
    if (file_) {
      put(file_->stream());
      file_->commit();
    }
  }

 private:
  std::optional<OutputFile> file_;
};

// Removes the .part files of this process. A signal handler may call this function.
void remove_part_files() noexcept;

}  // namespace tutti::inline formats
