// How far the one long piece of work of a thread is, for another thread that tells whoever waits.
// Where nobody waits it costs a comparison with null.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::inline base {

struct WorkTicker {
  std::atomic<const char*> doing{""};
  std::atomic<std::uint32_t> changes{0};  // of what it is doing
  std::atomic<std::uint32_t> parts{0};    // begun so far of which it is known how long they are
  std::atomic<std::uint64_t> done{0};     // operations
  std::atomic<std::uint64_t> all{0};      // 0 where it is not known how many
  std::atomic<double> simulated_s{-1};    // below 0 where nothing is simulated
};

// Null where nobody waits.
inline thread_local WorkTicker* work_ticker = nullptr;

// A piece of it, while this lives.
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

  // Cheap enough for each instant of a simulation.
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
