// Shows the progress of long work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/messages.hpp"
#include "src/formats/terminal_line.hpp"

namespace tutti { inline namespace formats {

// Smooths estimates, which jump whenever a part of the work ends. The time that is shown counts
// down, follows the estimates slowly, and grows only if an estimate is much longer.
class RemainingTime {
 public:
  // Takes an estimate of the remaining seconds, made at the time `now_s`. Returns the remaining
  // seconds to show.
  double show(double now_s, double estimate_s);

 private:
  bool any_ = false;
  double last_s_ = 0;
  double shown_s_ = 0;
};

// Rounded duration as text: "40 s", "12 min", "3 h 5 min".
[[nodiscard]] std::string about(double seconds);

// Progress of work whose parts differ in length.
struct WorkProgress {
  double share = 0;              // share of the known work that is done
  std::optional<double> left_s;  // remaining seconds; empty if not known yet
};

// Sets the pace of progress where standard error is not a terminal: long work prints a line after
// ten seconds and then one a minute. The pace is that of the process, whatever work the lines are
// about.
class LinePace {
 public:
  using Clock = std::chrono::steady_clock;
  // True if it is time for the next line. `late`: true only if the line is overdue, because
  // nothing else printed it.
  [[nodiscard]] static bool due(bool late = false);
  // Notes that a line is printed.
  static void take();
  // Seconds since the process began.
  [[nodiscard]] static double seconds();
};

// Prints "tutti decide: still running, 2 min" if a line is overdue, because no Progress or RunWatch
// printed it. Does nothing for a command without a name, or if standard error is a terminal. The
// thread that watches for signals (interrupts.hpp) calls this function.
void say_still_running();
// Sets the name of the command; `name` must live on.
void name_running_command(const char* name);

// A progress line on standard error. It appears once the work takes longer than a moment, is
// overwritten by each update, and is erased at the end. If standard error is not a terminal, lines
// are printed at the pace of LinePace.
class Progress {
 public:
  // Shows "proving: 3 of 17 schedules, 2 s, about 7 s left", where `doing` is "proving" and `thing`
  // is "schedule". If `before` is set, the `total` items are one part of the work: `before` items
  // were done in earlier parts, and further parts may follow, so the text says "40 of 120 cells
  // known so far".
  Progress(std::string doing, std::string thing, std::size_t total, Messages& messages,
           std::optional<std::size_t> before = std::nullopt);

  // Shows that `done` items are done. The time left assumes that all items take about the same
  // time.
  void show(std::size_t done);
  // Shows "comparing: 3 of 17 cells, 31 % of the work, 12 s, about 20 s left".
  void show(std::size_t done, const WorkProgress& work);
  // True if show() would print something now. Use it if the progress is expensive to compute.
  [[nodiscard]] bool due() const;

 private:
  void write(std::size_t done, const std::string& share, const WorkProgress& work);

  std::string doing_;
  std::string thing_;
  std::size_t total_;
  std::optional<std::size_t> before_;
  std::ostream* err_;  // null if no user watches
  TerminalLine line_;
  double share_ = 0;  // the share that was shown last
  RemainingTime left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ = start_;
};

}}  // namespace tutti::formats
