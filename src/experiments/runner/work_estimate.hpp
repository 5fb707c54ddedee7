// How much of the work of many cases is done: what they took corrects what was expected of them.
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

namespace tutti::inline experiments {

// Cases of an algorithm on as many ranks are taken to cost what those that are done have cost, for
// each unit of what was expected; where none is done, what the algorithm's have, or all. May be
// called by several threads.
class WorkEstimate {
 public:
  using Clock = std::chrono::steady_clock;

  // The number is the caller's, and none is so large that a list of all would be.
  void add(std::size_t number, const Case& what);
  void begin(std::size_t number);
  // It is over, after so many seconds; or nobody ran it here, and it says nothing of others.
  void end(std::size_t number, std::optional<double> seconds);
  // It has failed, and will begin again.
  void give_up(std::size_t number);

  [[nodiscard]] WorkDone done(Clock::time_point now = Clock::now()) const;

 private:
  struct Cost {
    double expected = 0;  // of those that are done
    double seconds = 0;
    void add(double more_expected, double more_seconds) {
      expected += more_expected;
      seconds += more_seconds;
    }
  };
  struct Group {
    const Algorithm* algorithm = nullptr;
    Cost cost;
    double left = 0;  // expected of those that are not done
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

// What the time that passed says of others: nothing, where there is no result.
[[nodiscard]] std::optional<double> seconds_if_run(const Outcome& outcome, double seconds);
// The time that a result tells of: of its schedule, its platform and its simulation.
[[nodiscard]] std::optional<double> seconds_of(const Outcome& outcome);

}  // namespace tutti::inline experiments
