// Prepares the standard streams of a program. Must be used before anything else.
#pragma once

#include <iosfwd>
#include <streambuf>

#include "base/printable.hpp"

namespace tutti { inline namespace formats {

// While this object exists, std::cout and std::cerr filter out everything that could control a
// terminal. Writing to a closed standard stream is an error, and no opened file takes over the
// descriptor of such a stream. Reaching the limit on file sizes (ulimit -f) is a reported error and
// does not kill the process. The constructor also determines the width of standard output (see
// pager.hpp).
class StandardStreams {
 public:
  StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;
  ~StandardStreams();

 private:
  PrintableBuffer out_;
  PrintableBuffer err_;
};

// Returns the buffer behind the filter of `stream`, for the program's own control sequences.
[[nodiscard]] std::streambuf* unfiltered(std::ostream& stream);

}}  // namespace tutti::formats
