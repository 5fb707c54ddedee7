// How far long work is, for whoever waits at a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace tutti {

// A line on standard error that is written over itself, once it takes longer than a moment, and
// wiped away in the end. Nothing where standard error is no terminal.
class Progress {
 public:
  // "proving: 3 of 17 schedules"
  Progress(std::string doing, std::string things, std::size_t total, std::ostream& err);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(std::size_t done);

 private:
  std::string doing_;
  std::string things_;
  std::size_t total_;
  std::ostream& err_;
  bool shown_;
  bool written_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tutti
