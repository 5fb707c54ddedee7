// Progress of a long computation, and how to end it early. The thread that computes updates the
// progress, and another thread shows it to the user. If no thread shows the progress, an update
// costs one comparison with null, and one to see whether the computation must end.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti { inline namespace base {

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

// Thrown by a computation that ends early. It is not a std::exception, so that no handler takes it
// for a failed run.
struct Cancellation {};

// If true, all computations of this process end early. A signal handler may set it.
inline std::atomic<bool> stop_requested = false;

// Long computations call this function often; it throws Stopped if they must end.
inline void stop_if_requested() {
  if (stop_requested.load(std::memory_order_relaxed)) [[unlikely]] {
    throw Cancellation();
  }
}

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

  // Reports progress, and throws Stopped if the work must end. The call is cheap enough for each
  // instant of a simulation.
  void at(std::uint64_t done, double simulated_s = -1) {
    stop_if_requested();
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

}}  // namespace tutti::base
