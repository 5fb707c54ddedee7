// Progress of a long computation. The thread that computes updates the progress, and another thread
// shows it to the user. If no thread shows the progress, an update costs one comparison with null.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::inline base {

struct WorkTicker {
  std::atomic<const char*> doing{""};
  std::atomic<std::uint32_t> changes{0};  // number of times that `doing` was set
  std::atomic<std::uint32_t> parts{0};    // number of pieces of work begun with a known `all`
  std::atomic<std::uint64_t> done{0};     // operations done in the current piece of work
  std::atomic<std::uint64_t> all{0};      // operations in the current piece of work; 0 if unknown
  std::atomic<double> simulated_s{-1};    // simulated time; negative if nothing is simulated
};

// Null if no other thread shows the progress.
inline thread_local WorkTicker* work_ticker = nullptr;

// Reports a piece of work as the current one as long as this object exists.
class TickedWork {
 public:
  explicit TickedWork(const char* doing, std::uint64_t all = 0) : ticker_(work_ticker) {
    if (ticker_ != nullptr) {
      before_ = ticker_->doing;
      begin(doing, all);
    }
  }
  TickedWork(const TickedWork&) = delete;
  TickedWork& operator=(const TickedWork&) = delete;
  ~TickedWork() {
    if (ticker_ != nullptr) {
      begin(before_, 0);
    }
  }

  // Reports progress. The call is cheap enough for each instant of a simulation.
  void at(std::uint64_t done, double simulated_s = -1) {
    if (ticker_ != nullptr) [[unlikely]] {
      ticker_->done.store(done, std::memory_order_relaxed);
      ticker_->simulated_s.store(simulated_s, std::memory_order_relaxed);
    }
  }

 private:
  void begin(const char* doing, std::uint64_t all) {
    ticker_->doing = doing;
    ticker_->done = 0;
    ticker_->all = all;
    ticker_->simulated_s = -1;
    ticker_->parts += all > 0 ? 1 : 0;
    ++ticker_->changes;
  }

  WorkTicker* ticker_;
  const char* before_ = "";
};

}  // namespace tutti::inline base
