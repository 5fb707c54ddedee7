// Simulates a few iterations of each loop of a step, in place of all.
//
// Suppose that all operations of iteration i + q take place a time T after those of iteration i,
// for all iterations i from a to b - q - 1. Let t be the time at which the first operation of
// iteration b, or of anything behind it, begins; that of iteration b - q, or of anything behind it,
// must begin at t - T. If nothing from before iteration a + q runs any more when the first of the
// operations that run at t begins, then the state of the run at t - T is that at t, but for the
// numbers of the iterations: the same messages are under way, with the same bytes left. If each
// rank also reaches iteration b a time T after iteration b - q (it may be far ahead of its
// messages), each q further iterations add T to the time, and to each rank what it spends in the
// iterations b - q to b - 1, if all operations of these end before anything behind the loop begins.
// (The rounds of a pipeline often have such a cycle of as many rounds as there are handovers
// between its stages.)
//
// The loops of `step` that are shortened have iterations at the beginning and at the end of the
// loop. find_cycles() looks for such a cycle in each of them, after the run.
//
// Rounding is the only difference to a run with all iterations. Where the order of simultaneous
// messages decides, it may be amplified; see sim/flow/flow_engine.hpp on ties.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

class ShortStep {
 public:
  // Iterations to keep of each loop, by the loop's line. Loops that are missing here keep a few.
  using IterationsToKeep = std::map<std::uint32_t, std::size_t>;

  // Shortens the loops of the step. `all`: shortens none.
  ShortStep(const StepDescription& step, const IterationsToKeep& kept, bool all);

  [[nodiscard]] const StepDescription& step() const { return step_; }
  // True if some iterations are missing.
  [[nodiscard]] bool is_shorter() const { return !loops_.empty(); }
  // How often each action of step() is carried out in the whole step. Known after find_cycles().
  [[nodiscard]] const std::vector<std::uint64_t>& times() const { return times_; }

  // Looks for the cycles of all loops. `reached_s` has the times when each place reaches the first
  // action of each iteration in begins(), in this order, by place. If a loop has no cycle, returns
  // the iterations to keep in the next try.
  [[nodiscard]] std::optional<IterationsToKeep> find_cycles(
      const Schedule& schedule, const Timeline& timeline, const std::vector<OpId>& first_ops,
      const std::vector<std::vector<double>>& reached_s);
  // The first actions of all iterations of all shortened loops, and those behind the loops,
  // ascending and each once.
  [[nodiscard]] std::vector<std::size_t> begins() const;

 private:
  struct Loop {
    std::vector<std::size_t> begins;  // first action of each iteration, and behind the last one
    std::size_t missing = 0;
    std::uint32_t line = 0;
  };
  // Collectives of iterations that are missing: those from `begin` to `end` - 1. The one `back`
  // collectives before each of them is not missing.
  struct Gap {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t back = 0;
  };
  // Alike iterations of a loop of the whole step.
  struct Region {
    std::size_t begin = 0;
    std::size_t times = 0;
  };

  void copy(const StepDescription& whole, std::size_t from, std::size_t to, std::size_t& loop);
  void copy_loop(const StepDescription& whole, const StepLoop& of, Region region,
                 std::size_t& loop);
  void copy_action(const StepDescription& whole, std::size_t action);
  [[nodiscard]] Region alike_iterations(const StepDescription& whole, const StepLoop& loop) const;
  [[nodiscard]] bool alike(const StepDescription& whole, std::size_t a, std::size_t b,
                           std::size_t count) const;
  // Returns how many of the alike iterations to keep.
  [[nodiscard]] std::size_t kept_of(const StepLoop& loop, std::size_t alike) const;
  void renumber_waits();

  StepDescription step_;
  IterationsToKeep kept_;
  std::vector<std::uint64_t> times_;
  std::vector<Loop> loops_;
  std::vector<Gap> gaps_;
  std::vector<std::uint32_t> begun_before_;  // by action of the whole step: collectives before it
  std::vector<std::uint32_t> new_number_;    // by collective of the whole step
  std::uint32_t begun_ = 0;
  bool lost_ = false;  // true if a wait is for a collective that is missing
};

}}  // namespace tutti::steps
