// Finds out whether the rounds of a cut schedule (schedules/repeated_rounds.hpp) repeat in time, so
// that the time of the rounds that were left out follows from those that were run.
//
// Consider a stretch of alike rounds of which `kept` were run. Let rounds a-1 to b be such that
// each of their operations starts and ends one period after the same operation of the round
// before. Let t be a time such that
//
// 1. round b is not the last kept round, and up to t + period, no operation after it has started.
//    The run of the whole schedule is then the same until that time: an operation that was left out
//    waits for at least what its image in round b + 1 waits for;
// 2. no operation of round b starts before t;
// 3. at some time w before t, all operations before round a-1 have ended, and one period later all
//    before round a;
// 4. each operation that is under way at t has started after w;
// 5. if any operation waits for a port or a core, the clock of the whole run does not take two
//    events after t for one instant (instant_end_s) that are distinct in the cut run.
//
// Between w and t, the same operations are then under way as between w + period and t + period,
// except that the numbers of their rounds are one lower. Rates depend only on the operations under
// way, so each of them has as much left at t as its image in the next round has at t + period: the
// state repeats. All that follows depends on the state, until a rank finishes its last round. The
// whole run is therefore the cut run with one period more for each round that was left out.
//
// The state must be all that decides: the platform must not change in time, ranks must not be late,
// and times must not vary. The ends of latencies are not among the events of condition 5. In runs
// of more than 0.1 s, the whole run may take two of them for one instant, and is then the less
// exact one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace sim {

// Finds the steady rounds of each stretch of schedule.repeated(), and adds the rounds that were
// left out to timeline.total_s. `timeline` is the run of the cut schedule. Returns false, and
// changes nothing, if the rounds of any stretch do not repeat.
[[nodiscard]] bool add_left_out_rounds(const Schedule& schedule, Timeline& timeline);

// Returns how much longer the whole schedule takes than the cut one, in seconds.
[[nodiscard]] double left_out_s(const Schedule& schedule, const std::vector<SteadyRounds>& steady);

// The numbers of rounds with which a schedule is tried, one after the other, and finally
// kAllRounds. Tries that fail cost time, so the number stays a small share of all rounds.
class RoundCuts {
 public:
  // `reach`: number of rounds until a delay at one rank has reached all others. `most_share`: the
  // largest share of the rounds of a stretch that is tried.
  RoundCuts(std::uint32_t reach, double most_share) : reach_(reach), most_share_(most_share) {}

  [[nodiscard]] std::uint32_t now() const { return now_; }
  void advance(const Schedule& tried);
  // True if trying this number of rounds of the schedule is worth it.
  [[nodiscard]] bool pays(const Schedule& cut, std::uint32_t rounds) const;

 private:
  static constexpr std::uint32_t kFirst = 16;

  std::uint32_t reach_;
  double most_share_;
  std::uint32_t now_ = kFirst;
};

}}  // namespace tutti::sim
