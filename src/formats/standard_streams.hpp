// What a program of ours does about its standard streams before anything else.
#pragma once

#include <iosfwd>
#include <streambuf>

#include "base/printable.hpp"

namespace tutti::inline formats {

// While it lives, std::cout and std::cerr print nothing that a terminal might obey, whoever wrote
// the text. A stream that was closed gives errors when it is written to, and no file that is opened
// takes its place. And a file that may grow no longer (ulimit -f) is an error to report, and no
// reason to be killed. How wide standard output is is looked up too (page.hpp).
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

// Where what is written to `stream` goes out as it is: for our own control of a terminal.
[[nodiscard]] std::streambuf* unfiltered(std::ostream& stream);

}  // namespace tutti::inline formats
