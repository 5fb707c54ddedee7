#include "src/formats/run_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <system_error>

#include "base/human.hpp"
#include "base/stopwatch.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/terminal_line.hpp"

namespace tutti { inline namespace formats {

namespace {

constexpr double kSilent_s = 2;
constexpr std::chrono::milliseconds kBetweenLooks{200};
// Before this time, the remaining time cannot be estimated.
constexpr double kLeastForTimeLeft_s = 0.5;

}  // namespace

RunWatch::RunWatch(std::string doing, Messages& messages)
    : doing_(std::move(doing)),
      before_(work_ticker),
      when_interrupted_([] { return std::string("; nothing was written"); }) {
  if (std::ostream* const err = messages.progress()) {
    work_ticker = &ticker_;
    try {
      watcher_ = std::thread([this, err] { watch(*err); });
    } catch (const std::system_error&) {
      // Without a thread, no progress is shown.
    }
  }
}

RunWatch::~RunWatch() {
  work_ticker = before_;
  if (watcher_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    watcher_.join();
  }
}

void RunWatch::watch(std::ostream& err) {
  TerminalLine line(&err);
  const Stopwatch all;
  Stopwatch piece;
  std::uint32_t changes = ticker_.changes;
  RemainingTime left;
  std::unique_lock lock(mutex_);
  // Polls from the start, to know when each part of the work began.
  while (!changed_.wait_for(lock, kBetweenLooks, [this] { return over_; })) {
    if (ticker_.changes != changes) {
      changes = ticker_.changes;
      piece = Stopwatch();
      left = RemainingTime();
    }
    if (line.there() ? all.seconds() < kSilent_s : !LinePace::due()) {
      continue;
    }
    const char* const doing = ticker_.doing;
    std::string text = *doing == '\0' ? doing_ : doing;
    const std::uint64_t of = ticker_.all;
    // The total number of parts is not known.
    const std::uint32_t part = ticker_.parts;
    const bool several = of > 0 && part > 1;
    if (several) {
      text += fmt::format(" (part {})", part);
    }
    const std::uint64_t done = std::min<std::uint64_t>(ticker_.done, of);
    const double share = of > 0 ? static_cast<double>(done) / static_cast<double>(of) : 0;
    if (done > 0) {
      text += fmt::format(": {} of {} operations, {:.0f} %", human_count(done), human_count(of),
                          std::min(99.0, 100 * share));
    }
    if (const double simulated_s = ticker_.simulated_s; simulated_s >= 0) {
      text += fmt::format(", {} simulated", human_time(simulated_s));
    }
    text += fmt::format("{} {}", done > 0 ? "," : ":", about(all.seconds()));
    if (share > 0 && piece.seconds() > kLeastForTimeLeft_s) {
      const double estimate_s = piece.seconds() * (1 - share) / share;
      text += fmt::format(", about {} left{}", about(left.show(piece.seconds(), estimate_s)),
                          several ? " for this part" : "");
    }
    if (line.there()) {
      line.show(text);
    } else {
      LinePace::take();
      err << text << std::endl;
    }
  }
}

}}  // namespace tutti::formats
