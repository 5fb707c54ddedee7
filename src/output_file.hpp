// Output that is there completely or not at all.
#pragma once

#include <fstream>
#include <iosfwd>
#include <memory>
#include <string>

namespace tutti {

// Writes beside the file and takes its name on commit(); without commit() nothing is left behind,
// and a file that was there before is untouched. "-" is standard output, and what is no regular
// file (a pipe, /dev/null) is written directly. On one thread only.
class OutputFile {
 public:
  // Throws UserError when the path cannot be written, or is being written by another one; so open
  // all before any long work.
  OutputFile(const std::string& path, std::ostream& standard_output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  // Throws UserError when not everything could be written.
  void commit();

 private:
  void release();

  std::string path_;       // as the user wrote it
  std::string target_;     // what it stands for, links followed
  std::string temporary_;  // "" once renamed, or where none is needed
  std::string name_;       // of the target, one for each file; "" once it is done with
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace tutti
