// Output that is there completely or not at all.
#pragma once

#include <iosfwd>
#include <memory>
#include <ostream>
#include <string>

#include "src/formats/temporary_file.hpp"

namespace tutti {

// Throws UserError unless a file can be written there. Touches nothing.
void check_writable(const std::string& path);

// Written where nobody sees it, and takes its name when the program has come to a good end: after
// commit() and publish_outputs(). Without either nothing is left behind, and a file that was there
// before is untouched. "-" is standard output, and what is no regular file (a pipe, /dev/null) is
// written directly. On one thread only.
class OutputFile {
 public:
  // Throws UserError when the path cannot be written, or is being written by another one; so open
  // all before any long work.
  OutputFile(const std::string& path, std::ostream& standard_output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  // That all of it is written. Throws UserError when not everything could be.
  void commit();

 private:
  std::string path_;  // as the user wrote it
  std::string name_;  // of what it stands for, one for each file; "" where it is no regular file
  std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<DescriptorBuffer> direct_;  // in place of it
  std::unique_ptr<std::ostream> own_stream_;
  std::ostream* stream_;
};

// All files that were committed take their names; to be called once standard output has taken all
// that was to go there, so that there is either all of what was asked for or nothing. Throws
// UserError.
void publish_outputs();
// They are given up.
void discard_outputs();

}  // namespace tutti
