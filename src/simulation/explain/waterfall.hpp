// From a published formula to the simulated time, in steps that add up.
//
//   formula          its terms in alpha, beta and gamma
//   + schedule       rounds that it rounds or leaves out, blocks that are not even: what the
//   longest
//                    path of the schedule has more of each, priced alike
//   = longest path
//   + chain          what the chain of the simulated run has more of than the longest path, or
//   less:
//                    mostly messages that held a port or a core
//   + routes         longer or shorter than those that gave alpha and beta
//   + sharing        link by link
//   = simulated
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

struct WaterfallStep {
  enum class Kind : std::uint8_t { term, difference, subtotal };
  Kind kind = Kind::difference;
  std::string what;              // "start-up", "slowed by sharing"
  std::string why;               // in a clause; "" where there is nothing to add
  std::uint32_t link = kNoLink;  // of sharing; of cores, the host
  double seconds = 0;            // of a subtotal: the sum so far
};
[[nodiscard]] std::string_view name(WaterfallStep::Kind kind);

struct Waterfall {
  // The published formula; "" where none holds: then it begins with the longest path.
  std::string formula;
  std::vector<WaterfallStep> steps;  // the last is the simulated time
};

// `longest` is the account of the schedule's longest path, with the same ports, under `nominal`.
// Links of the simulated run stand in the order of what they have lost.
[[nodiscard]] Waterfall waterfall(const RunResult& result, const Schedule& schedule,
                                  const OwnTimes& nominal, const TimeAccount& longest,
                                  const TimeAccount& simulated);

}  // namespace tutti::inline simulation
