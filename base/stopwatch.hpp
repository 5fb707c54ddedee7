// Measures the wall-clock time since the object was constructed.
#pragma once

#include <chrono>

namespace tutti { inline namespace base {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}}  // namespace tutti::base
