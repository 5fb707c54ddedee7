// How long work still takes, as it is shown to whoever waits.
#pragma once

#include <string>

namespace tutti::inline formats {

// Estimates jump with all that ends; what is shown counts down, follows them slowly, and grows only
// where they say that much more is left.
class TimeLeft {
 public:
  // The estimate at a moment, both in seconds. Returns what to show.
  double show(double now_s, double estimate_s);

 private:
  bool any_ = false;
  double last_s_ = 0;
  double shown_s_ = 0;
};

// "40 s", "12 min", "3 h 5 min": nobody can know it better.
[[nodiscard]] std::string about(double seconds);

}  // namespace tutti::inline formats
