// Remaining time of long work, as it is shown to the user.
#pragma once

#include <string>

namespace tutti::inline formats {

// Smooths estimates, which jump whenever a part of the work ends. The time that is shown counts
// down, follows the estimates slowly, and grows only if an estimate is much longer.
class TimeLeft {
 public:
  // Takes an estimate of the remaining seconds, made at the time `now_s`. Returns the remaining
  // seconds to show.
  double show(double now_s, double estimate_s);

 private:
  bool any_ = false;
  double last_s_ = 0;
  double shown_s_ = 0;
};

// Rounded duration as text: "40 s", "12 min", "3 h 5 min".
[[nodiscard]] std::string about(double seconds);

}  // namespace tutti::inline formats
