#include "src/formats/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/human.hpp"
#include "base/printable.hpp"

namespace tutti::inline formats {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{1'000};
constexpr milliseconds kNext{200};
constexpr milliseconds kFirstLine{10'000};
constexpr milliseconds kNextLine{30'000};
// If the share of work that is done falls by less than this, because more work has become known,
// the shown share stays as it is.
constexpr double kFalls = 0.05;

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

Progress::Progress(std::string doing, std::string thing, std::size_t total, std::ostream& err,
                   Elsewhere elsewhere, std::optional<std::size_t> before)
    : doing_(std::move(doing)),
      thing_(std::move(thing)),
      total_(total),
      before_(before),
      err_(err),
      line_(err),
      lines_(!line_.there() && elsewhere == Elsewhere::lines),
      next_(start_ + (line_.there() ? kFirst : kFirstLine)) {}

bool Progress::due() const {
  return (line_.there() || lines_) && std::chrono::steady_clock::now() >= next_;
}

void Progress::show(std::size_t done) {
  if (!due()) {
    return;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  WorkDone work;
  if (done > 0) {
    work.share = static_cast<double>(done) / static_cast<double>(total_);
    work.left_s = seconds * (1 - work.share) / work.share;
  }
  write(done, "", work);
}

void Progress::show(std::size_t done, const WorkDone& work) {
  if (!due()) {
    return;
  }
  if (work.share > share_ || work.share < share_ - kFalls) {
    share_ = work.share;
  }
  // Shows 100 % only when all items are done, and at most 99 % before.
  const double percent = done < total_ ? std::min(99.0, 100 * share_) : 100;
  write(done, fmt::format(", {:.0f} % of {} work", percent, before_ ? "their" : "the"), work);
}

void Progress::write(std::size_t done, const std::string& share, const WorkDone& work) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  next_ = now + (line_.there() ? kNext : kNextLine);
  const std::size_t before = before_.value_or(0);
  std::string text = fmt::format("{}: {} of {}{}{}, {}", doing_, human_count(before + done),
                                 counted(before + total_, thing_), before_ ? " known so far" : "",
                                 share, about(seconds));
  if (work.left_s) {
    text += fmt::format(", about {} left{}", about(left_.show(seconds, *work.left_s)),
                        before_ ? " for these" : "");
  }
  if (line_.there()) {
    line_.show(text);
  } else {
    err_ << text << std::endl;
  }
}

void Progress::say(const std::string& line) {
  line_.wipe();
  err_ << printable(line) << std::endl;
}

}  // namespace tutti::inline formats
