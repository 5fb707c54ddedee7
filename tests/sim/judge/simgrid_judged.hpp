// A case before the judge, with what the flow engine and SimGrid say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/simgrid/simgrid_platform.hpp"
#include "tests/sim/judge/judge.hpp"
#include "tests/sim/judge/random_case.hpp"

namespace tutti {

// What differs from the judge by more parts of the total than this is wrong, unless the case hangs
// on rounding.
inline constexpr double kJudgeTolerance = 1e-9;

// The largest difference of a start or an end, in parts of the total of `b`.
[[nodiscard]] double apart(const Timeline& a, const Timeline& b);

struct Judged {
  JudgedTimes verdict;
  double nudged = 0;  // how far the judge's own times move when all moves by parts in 1e-12
  Timeline flow;
  std::optional<Timeline> simgrid;  // none: it failed, or took too long
  std::string simgrid_failure;
  // SimGrid is apart, and just as its faults 2 and 3 (sim/simgrid/README.md) have it: it says what
  // the judge says who overlooks what SimGrid does.
  bool simgrid_at_fault = false;

  [[nodiscard]] double flow_apart() const { return apart(flow, verdict.timeline); }
  // 1 where it failed.
  [[nodiscard]] double simgrid_apart() const {
    return simgrid ? apart(*simgrid, verdict.timeline) : 1;
  }
  // No engine in doubles can be held to the judge's times: an event lies on the border of an
  // instant, or the schedule makes a difference in the sixteenth digit a thousand times as large.
  [[nodiscard]] bool hangs_on_rounding() const {
    return verdict.nearest_border < kNoTie || nudged > kJudgeTolerance;
  }
};

// `platform` was loaded in this process, with Updates::pointed_out. SimGrid runs in a fork.
[[nodiscard]] Judged judge_case(SimGridPlatform& platform, const RandomCase& made);

// The operations with which it begins that the two differ, in words.
[[nodiscard]] std::string first_difference(const Schedule& schedule, const Timeline& judge,
                                           const Timeline& other);

}  // namespace tutti
