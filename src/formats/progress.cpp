#include "src/formats/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <unistd.h>
#include <utility>

#include "base/human.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace formats {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{1'000};
constexpr milliseconds kNext{200};
constexpr milliseconds kFirstLine{10'000};
constexpr milliseconds kNextLine{60'000};
// A line is overdue after this share of the time between two lines.
constexpr int kLatePart = 10;
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

// Tests shorten the time between lines.
milliseconds between_lines(milliseconds usual) {
  static const char* const text =
      std::getenv("TUTTI_TEST_PROGRESS_MS");  // NOLINT(concurrency-mt-unsafe): at the start
  return text == nullptr ? usual : milliseconds(parsed_number<int>(text).value_or(0));
}

struct PaceState {
  LinePace::Clock::time_point began = LinePace::Clock::now();
  std::atomic<LinePace::Clock::time_point> next = began + between_lines(kFirstLine);
};
PaceState& pace() {
  static PaceState state;
  return state;
}

}  // namespace

bool LinePace::due(bool late) {
  const auto now = Clock::now();
  return now >= pace().next.load() + (late ? between_lines(kNextLine) / kLatePart : milliseconds());
}

void LinePace::take() { pace().next = Clock::now() + between_lines(kNextLine); }

double LinePace::seconds() {
  return std::chrono::duration<double>(Clock::now() - pace().began).count();
}

namespace {

std::atomic<const char*> running_command = nullptr;

}  // namespace

void name_running_command(const char* name) {
  (void)LinePace::seconds();  // begins now
  running_command = name;
}

void say_still_running() {
  const char* const command = running_command;
  if (command == nullptr || ::isatty(STDERR_FILENO) == 1 || !LinePace::due(true)) {
    return;
  }
  LinePace::take();
  const std::string line =
      fmt::format("tutti {}: still running, {}\n", command, about(LinePace::seconds()));
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) == 0);
}

double RemainingTime::show(double now_s, double estimate_s) {
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

Progress::Progress(std::string doing, std::string thing, std::size_t total, Messages& messages,
                   std::optional<std::size_t> before)
    : doing_(std::move(doing)),
      thing_(std::move(thing)),
      total_(total),
      before_(before),
      err_(messages.progress()),
      line_(err_),
      next_(start_ + kFirst) {}

bool Progress::due() const {
  if (line_.there()) {
    return std::chrono::steady_clock::now() >= next_;
  }
  return err_ != nullptr && LinePace::due();
}

void Progress::show(std::size_t done) {
  if (!due()) {
    return;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  WorkProgress work;
  if (done > 0) {
    work.share = static_cast<double>(done) / static_cast<double>(total_);
    work.left_s = seconds * (1 - work.share) / work.share;
  }
  write(done, "", work);
}

void Progress::show(std::size_t done, const WorkProgress& work) {
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

void Progress::write(std::size_t done, const std::string& share, const WorkProgress& work) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  next_ = now + kNext;
  const std::size_t before = before_.value_or(0);
  std::string text = fmt::format("{}: {} of {}{}{}, {}", doing_, human_count(before + done),
                                 counted(before + total_, thing_), before_ ? " known so far" : "",
                                 share, about(line_.there() ? seconds : LinePace::seconds()));
  if (work.left_s) {
    text += fmt::format(", about {} left{}", about(left_.show(seconds, *work.left_s)),
                        before_ ? " for these" : "");
  }
  if (line_.there()) {
    line_.show(text);
  } else {
    LinePace::take();
    *err_ << text << std::endl;
  }
}

}}  // namespace tutti::formats
