// Shows the progress of one long run.
#pragma once

#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

#include "base/messages.hpp"
#include "base/work_ticker.hpp"
#include "src/formats/interrupts.hpp"

namespace tutti { inline namespace formats {

// While a RunWatch exists, and once the work takes longer than 2 s, a line on the terminal shows
// what the thread that created the RunWatch is doing. If standard error is not a terminal, lines
// are printed at the pace of LinePace. An interrupt reports that nothing was written. Must be
// destroyed before anything is printed.
class RunWatch {
 public:
  // `doing` describes the work, such as "explaining". It is shown while WorkTicker::doing is empty.
  RunWatch(std::string doing, Messages& messages);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

 private:
  void watch(std::ostream& err);

  std::string doing_;
  WorkTicker ticker_;
  WorkTicker* before_;
  InterruptMessage when_interrupted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watcher_;  // runs only if somebody watches
};

}}  // namespace tutti::formats
