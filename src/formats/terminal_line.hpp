// One line of a terminal that is written over itself: how far work is.
#pragma once

#include <iosfwd>
#include <mutex>
#include <string>

namespace tutti::inline formats {

// Does nothing where `err` is not standard error, or that is no terminal. It is wiped away in the
// end.
class TerminalLine {
 public:
  explicit TerminalLine(std::ostream& err);
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;
  ~TerminalLine();

  [[nodiscard]] bool there() const { return there_; }
  // In place of what it shows; as much as the terminal is wide.
  void show(const std::string& text);
  void wipe();

 private:
  std::ostream& err_;
  bool there_;
  bool shown_ = false;
};

// Wipes away what a line shows; while the lock is held, nothing is shown any more.
[[nodiscard]] std::unique_lock<std::mutex> wipe_lines_for_good();

}  // namespace tutti::inline formats
