// How far long work is, for whoever waits at a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "src/formats/terminal_line.hpp"
#include "src/formats/time_left.hpp"

namespace tutti::inline formats {

// Of work whose parts are not alike.
struct WorkDone {
  double share = 0;              // of all that is known of
  std::optional<double> left_s;  // unless nobody knows yet
};

// A line on standard error that is written over itself, once it takes longer than a moment, and
// wiped away in the end. Where standard error is no terminal, nothing; or, for work that may go on
// for hours, a line now and then.
class Progress {
 public:
  enum class Elsewhere : std::uint8_t { nothing, lines };

  // "proving: 3 of 17 schedules, 2 s, about 7 s left"; `thing` is one of them: "schedule"
  Progress(std::string doing, std::string thing, std::size_t total, std::ostream& err,
           Elsewhere elsewhere = Elsewhere::nothing);
  // There were `before` of them before these, and may be more after: "40 of 120 cells known so
  // far".
  Progress(std::string doing, std::string thing, std::size_t total, std::ostream& err,
           Elsewhere elsewhere, std::optional<std::size_t> before);

  // All are alike.
  void show(std::size_t done);
  // "comparing: 3 of 17 cells, 31 % of the work, 12 s, about 20 s left"
  void show(std::size_t done, const WorkDone& work);
  // Whether show() would show anything now, where it takes a while to know how much is done.
  [[nodiscard]] bool due() const;
  // Something else that whoever waits should know: a line that stays.
  void say(const std::string& line);

 private:
  void write(std::size_t done, const std::string& share, const WorkDone& work);

  std::string doing_;
  std::string thing_;
  std::size_t total_;
  std::optional<std::size_t> before_;
  std::ostream& err_;
  TerminalLine line_;
  bool lines_;
  double share_ = 0;  // that was shown last
  TimeLeft left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ = start_;
};

}  // namespace tutti::inline formats
