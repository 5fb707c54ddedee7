// Output that is there completely or not at all.
#pragma once

#include <iosfwd>
#include <memory>
#include <ostream>
#include <string>

#include "src/formats/temporary_file.hpp"

namespace tutti::inline formats {

// Written where nobody sees it, and takes its name when the program has come to a good end: after
// commit() and publish_outputs(). Without either nothing is left behind, and a file that was there
// before is untouched. "-" is standard output, and what is no regular file (a pipe, /dev/null) is
// written directly. On one thread only.
class OutputFile {
 public:
  // Throws UserError if the path cannot be written, if the command reads that file, or if another
  // output goes there. Open all outputs before any long work.
  OutputFile(const std::string& path, std::ostream& standard_output);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  // That all of it is written. Throws UserError when not everything could be.
  void commit();

 private:
  std::string path_;         // as the user wrote it
  bool registered_ = false;  // as an output of the command
  std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<DescriptorBuffer> direct_;  // in place of it
  std::unique_ptr<std::ostream> own_stream_;
  std::ostream* stream_;
};

// All files that were committed take their names; to be called once standard output has taken all
// that was to go there, so that there is either all of what was asked for or nothing. Throws
// UserError, also if the command has read one of them.
void publish_outputs();
// Drops the committed outputs that publish_outputs() has not published.
void discard_outputs();

}  // namespace tutti::inline formats
