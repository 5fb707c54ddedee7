#include "src/formats/standard_streams.hpp"

#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

#include "src/formats/pager.hpp"

namespace tutti { inline namespace formats {

StandardStreams::StandardStreams() : out_(std::cout.rdbuf()), err_(std::cerr.rdbuf()) {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      // open() returns the lowest free descriptor, which is `descriptor`. It is opened for reading
      // only, so that writing to it fails.
      static_cast<void>(::open("/dev/null", O_RDONLY));
    }
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::cout.rdbuf(&out_);
  std::cerr.rdbuf(&err_);
  look_at_page();
}

StandardStreams::~StandardStreams() {
  std::cout.flush();
  std::cout.rdbuf(out_.sink());
  std::cerr.rdbuf(err_.sink());
}

std::streambuf* unfiltered(std::ostream& stream) {
  const auto* const filter = dynamic_cast<const PrintableBuffer*>(stream.rdbuf());
  return filter != nullptr ? filter->sink() : stream.rdbuf();
}

}}  // namespace tutti::formats
