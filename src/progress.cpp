#include "src/progress.hpp"

#include <fmt/format.h>

#include <iostream>
#include <unistd.h>

namespace tutti {

Progress::Progress(std::string doing, std::string things, std::size_t total, std::ostream& err)
    : doing_(std::move(doing)),
      things_(std::move(things)),
      total_(total),
      err_(err),
      shown_(&err == &std::cerr && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (written_) {
    err_ << "\r\033[K" << std::flush;
  }
}

void Progress::show(std::size_t done) {
  if (shown_ && std::chrono::steady_clock::now() - start_ > std::chrono::seconds(1)) {
    err_ << fmt::format("\r{}: {} of {} {}", doing_, done, total_, things_) << std::flush;
    written_ = true;
  }
}

}  // namespace tutti
