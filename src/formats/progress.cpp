#include "src/formats/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <unistd.h>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/formats/standard_streams.hpp"

namespace tutti {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{1'000};
constexpr milliseconds kNext{100};
constexpr milliseconds kFirstLine{10'000};
constexpr milliseconds kNextLine{30'000};

// "40 s", "12 min", "3 h 5 min": nobody can know it better.
std::string about(double seconds) {
  const auto minutes = static_cast<std::uint64_t>(std::lround(seconds / 60));
  if (seconds < 100) {
    return fmt::format("{:.0f} s", seconds);
  }
  return minutes < 100 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

Progress::Progress(std::string doing, std::string thing, std::size_t total, std::ostream& err,
                   Elsewhere elsewhere)
    : doing_(std::move(doing)),
      thing_(std::move(thing)),
      total_(total),
      total_work_(static_cast<double>(total)),
      err_(err),
      terminal_(&err == &std::cerr && isatty(STDERR_FILENO) == 1),
      lines_(!terminal_ && elsewhere == Elsewhere::lines),
      next_(start_ + (terminal_ ? kFirst : kFirstLine)) {}

Progress::~Progress() {
  if (written_ && terminal_) {
    std::ostream(unfiltered(err_)) << "\r\033[K" << std::flush;
  }
}

void Progress::show(std::size_t done, double work) {
  const auto now = std::chrono::steady_clock::now();
  if ((!terminal_ && !lines_) || now < next_) {
    return;
  }
  next_ = now + (terminal_ ? kNext : kNextLine);
  std::string line =
      fmt::format("{}: {} of {}", doing_, human_count(done), counted(total_, thing_));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (done > 0 && work > 0) {
    line += fmt::format(", {:.3g} per second, {} left", static_cast<double>(done) / seconds,
                        about(seconds * (total_work_ - work) / work));
  }
  if (terminal_) {
    std::ostream(unfiltered(err_)) << '\r' << line << "\033[K" << std::flush;
  } else {
    err_ << line << std::endl;
  }
  written_ = true;
}

void Progress::say(const std::string& line) {
  if (terminal_) {
    std::ostream(unfiltered(err_)) << "\r\033[K" << std::flush;
  }
  err_ << printable(line) << std::endl;
}

}  // namespace tutti
