#include "src/formats/time_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tutti::inline formats {

namespace {

// The shown time follows the estimate with a time constant: kFollow times the estimate, but at
// least kFollowLeast_s and at most kFollowMost_s.
constexpr double kFollow = 0.2;
constexpr double kFollowLeast_s = 0.5;
constexpr double kFollowMost_s = 5;
// The shown time grows only if the estimate exceeds it by this factor and this many seconds.
constexpr double kMore = 1.3;
constexpr double kMore_s = 0.5;

}  // namespace

double TimeLeft::show(double now_s, double estimate_s) {
  if (!any_) {
    any_ = true;
    shown_s_ = estimate_s;
  } else {
    const double passed_s = now_s - last_s_;
    const double due_s = std::max(0.0, shown_s_ - passed_s);
    const double within_s = std::clamp(kFollow * estimate_s, kFollowLeast_s, kFollowMost_s);
    const double next_s = due_s + (estimate_s - due_s) * (1 - std::exp(-passed_s / within_s));
    const bool grows = next_s > shown_s_;
    if (!grows || estimate_s > kMore * shown_s_ + kMore_s) {
      shown_s_ = next_s;
    }
  }
  last_s_ = now_s;
  return shown_s_;
}

std::string about(double seconds) {
  const auto minutes = static_cast<std::uint64_t>(std::lround(seconds / 60));
  if (seconds < 100) {
    return fmt::format("{:.0f} s", seconds);
  }
  return minutes < 100 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace tutti::inline formats
