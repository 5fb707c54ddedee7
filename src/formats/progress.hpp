// How far long work is, for whoever waits at a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace tutti {

// A line on standard error that is written over itself, once it takes longer than a moment, and
// wiped away in the end. Where standard error is no terminal, nothing; or, for work that may go on
// for hours, a line now and then.
class Progress {
 public:
  enum class Elsewhere : std::uint8_t { nothing, lines };

  // "proving: 3 of 17 schedules, 4.5 per second, 3 s left"; `thing` is one of them: "schedule"
  Progress(std::string doing, std::string thing, std::size_t total, std::ostream& err,
           Elsewhere elsewhere = Elsewhere::nothing);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(std::size_t done) { show(done, static_cast<double>(done)); }
  // The time left follows from the share of the work that is done, where things are not alike: any
  // measure of it, here and for all of them.
  void show(std::size_t done, double work);
  // Something else that whoever waits should know: a line that stays.
  void say(const std::string& line);
  void set_total_work(double work) { total_work_ = work; }

 private:
  std::string doing_;
  std::string thing_;
  std::size_t total_;
  double total_work_;
  std::ostream& err_;
  bool terminal_;
  bool lines_;
  bool written_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ = start_;
};

}  // namespace tutti
