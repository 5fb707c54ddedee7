// A line on a terminal that is overwritten in place, to show progress.
#pragma once

#include <iosfwd>
#include <mutex>
#include <string>

namespace tutti { inline namespace formats {

// Does nothing if `err` is null, or if standard error is not a terminal. The destructor erases the
// line.
class TerminalLine {
 public:
  explicit TerminalLine(std::ostream* err);
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;
  ~TerminalLine();

  [[nodiscard]] bool there() const { return there_; }
  // Replaces the line by the text, truncated to the width of the terminal.
  void show(const std::string& text);
  void wipe();

 private:
  std::ostream* err_;
  bool there_;
  bool shown_ = false;
};

// Erases the line that is shown, if any. While the returned lock is held, no line is shown.
[[nodiscard]] std::unique_lock<std::mutex> wipe_lines_for_good();

}}  // namespace tutti::formats
