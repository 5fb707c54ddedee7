// Estimates how much of the work of many cases is done. The time that finished cases took corrects
// the expected work of the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "src/formats/progress.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

// Assumes that cases with the same algorithm and number of ranks take equally long for each unit of
// expected work. The time per unit is that of the finished cases with this algorithm and number of
// ranks. If there are none, it is that of all finished cases with this algorithm or, if there are
// none either, of all finished cases. Thread-safe.
class WorkEstimate {
 public:
  using Clock = std::chrono::steady_clock;

  // Adds a case. Here and in the functions below, `number` is the caller's index of the case. The
  // memory use is proportional to the largest index.
  void add(std::size_t number, const Case& what);
  void begin(std::size_t number);
  // Marks a case as done after `seconds`. `seconds` is empty if the case was not run here or has no
  // result; such a case does not affect the estimate for others.
  void end(std::size_t number, std::optional<double> seconds);
  // Marks a case as not running: it has failed, and will begin again.
  void give_up(std::size_t number);

  [[nodiscard]] WorkProgress done(Clock::time_point now = Clock::now()) const;

 private:
  struct Cost {
    double expected = 0;  // expected work of the finished cases
    double seconds = 0;
    void add(double more_expected, double more_seconds) {
      expected += more_expected;
      seconds += more_seconds;
    }
  };
  struct Group {
    const Algorithm* algorithm = nullptr;
    Cost cost;
    double left = 0;  // expected work of the unfinished cases
  };
  struct Item {
    std::uint32_t group = 0;
    double expected = 0;
  };

  [[nodiscard]] double seconds_for_each(const Group& group) const;

  mutable std::mutex mutex_;
  std::vector<Item> items_;
  std::vector<Group> groups_;
  std::map<std::pair<const Algorithm*, std::uint32_t>, std::uint32_t> group_of_;
  std::map<const Algorithm*, Cost> algorithms_;
  Cost all_;
  std::map<std::size_t, Clock::time_point> running_;
  Clock::time_point began_ = Clock::now();
};

// Returns `seconds` if the outcome is a result. Otherwise returns an empty value, because the time
// then says nothing about how long other cases take.
[[nodiscard]] std::optional<double> seconds_if_run(const Outcome& outcome, double seconds);
// Returns the wall time in seconds that a result records for making the schedule, loading the
// platform and simulating; empty if there is no result.
[[nodiscard]] std::optional<double> seconds_of(const Outcome& outcome);

}}  // namespace tutti::experiments
