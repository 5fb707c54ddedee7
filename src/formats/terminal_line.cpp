#include "src/formats/terminal_line.hpp"

#include <sys/ioctl.h>

#include <ostream>
#include <string_view>
#include <unistd.h>

#include "src/formats/standard_streams.hpp"

namespace tutti { inline namespace formats {

namespace {

constexpr std::string_view kWipe = "\r\033[K";

std::mutex writing;
bool any_shown = false;

std::string fit(const std::string& text) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? text.substr(0, size.ws_col - 1U) : text;
}

}  // namespace

TerminalLine::TerminalLine(std::ostream* err)
    : err_(err), there_(err != nullptr && ::isatty(STDERR_FILENO) == 1) {}

TerminalLine::~TerminalLine() { wipe(); }

void TerminalLine::show(const std::string& text) {
  if (there_) {
    const std::lock_guard lock(writing);
    std::ostream(unfiltered(*err_)) << '\r' << fit(text) << "\033[K" << std::flush;
    shown_ = any_shown = true;
  }
}

void TerminalLine::wipe() {
  if (shown_) {
    const std::lock_guard lock(writing);
    std::ostream(unfiltered(*err_)) << kWipe << std::flush;
    shown_ = any_shown = false;
  }
}

std::unique_lock<std::mutex> wipe_lines_for_good() {
  std::unique_lock lock(writing);
  if (any_shown) {
    static_cast<void>(::write(STDERR_FILENO, kWipe.data(), kWipe.size()));
  }
  return lock;
}

}}  // namespace tutti::formats
