// How far one long run is, for whoever waits at a terminal.
#pragma once

#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

#include "base/work_ticker.hpp"
#include "src/formats/interrupts.hpp"

namespace tutti::inline formats {

// While it lives, a line on a terminal says what the thread that made it is at, once that takes
// longer than some seconds; and an interrupt says that nothing was written. To be gone before there
// is anything to print.
class RunWatch {
 public:
  // `doing`: what it is at where it does not say so itself, "explaining".
  RunWatch(std::string doing, std::ostream& err);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

 private:
  void watch(std::ostream& err);

  std::string doing_;
  WorkTicker ticker_;
  WorkTicker* before_;
  WhenInterrupted when_interrupted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watcher_;  // where there is a terminal
};

}  // namespace tutti::inline formats
