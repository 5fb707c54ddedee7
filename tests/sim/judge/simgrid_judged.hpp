// Compares the flow engine and SimGrid with the judge on one case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/simgrid/simgrid_platform.hpp"
#include "tests/sim/judge/judge.hpp"
#include "tests/sim/judge/random_case.hpp"

namespace tutti {

// A difference from the judge above this share of the total time is an error, unless the case
// depends on rounding.
inline constexpr double kJudgeTolerance = 1e-9;

// Returns the largest difference between `a` and `b` in a start or end of an operation or in the
// total time, divided by the total time of `b`.
[[nodiscard]] double apart(const Timeline& a, const Timeline& b);

// The times of one case by both engines.
struct EngineTimes {
  Timeline flow;
  std::optional<Timeline> simgrid;  // empty if SimGrid failed or took too long
  std::string simgrid_failure;
};

// Runs `made` with the flow engine and, in a fork, with SimGrid. `platform` must be loaded in this
// process, with Updates::pointed_out.
[[nodiscard]] EngineTimes run_engines(SimGridPlatform& platform, const RandomCase& made);
// Returns how far the flow engine's times are from `flow` if each operation takes up to 1e-14 more
// or less time: the errors of some hundred roundings.
[[nodiscard]] double apart_by_rounding(SimGridPlatform& platform, const RandomCase& made,
                                       const Timeline& flow);

struct JudgeComparison : EngineTimes {
  JudgeTimes verdict;
  double nudged = 0;  // relative change of the judge's times with a Nudge of 1e-12
  // True if SimGrid differs from the judge only by its faults 2 and 3 (sim/simgrid/README.md): a
  // judge with the same faults gets SimGrid's times.
  bool simgrid_at_fault = false;

  [[nodiscard]] double flow_apart() const { return apart(flow, verdict.timeline); }
  // Returns 1 if SimGrid failed.
  [[nodiscard]] double simgrid_apart() const {
    return simgrid ? apart(*simgrid, verdict.timeline) : 1;
  }
  // True if an engine that calculates in doubles cannot be expected to get the judge's times: an
  // event lies on the border of an instant, or the schedule amplifies a change of 1e-12 more than a
  // thousand times.
  [[nodiscard]] bool hangs_on_rounding() const {
    return verdict.nearest_border < kNoTie || nudged > kJudgeTolerance;
  }
};

// Runs `made` with the judge and both engines. `platform` must be as for run_engines().
[[nodiscard]] JudgeComparison judge_case(SimGridPlatform& platform, const RandomCase& made);

// Returns a description of the operations whose times are the first to differ.
[[nodiscard]] std::string first_difference(const Schedule& schedule, const Timeline& judge,
                                           const Timeline& other);

}  // namespace tutti
