// Explains how a published formula and the simulated time differ, in steps that add up.
//
//   formula          its terms in alpha, beta and gamma
//   + schedule       additional time of the schedule's longest path, at the same prices, such as
//                    for rounds that the formula omits, or for uneven blocks
//   = longest path
//   + chain          time by which the chain of the simulated run is longer or shorter than the
//                    longest path: mostly messages that held a port or a core
//   + messages       with a message model: time that alpha and beta do not include, such as that of
//                    handshakes, by part of the model
//   + routes         time by which the messages' own routes differ from alpha and beta
//   + sharing        time lost to links that messages share, link by link
//   = simulated
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

struct WaterfallStep {
  enum class Kind : std::uint8_t { term, difference, subtotal };
  Kind kind = Kind::difference;
  std::string what;  // "start-up", "slowed by sharing"
  std::string why;   // reason, in a clause; "" if there is none
  // Number of the link that cost the time, or of the host whose cores cost it.
  std::uint32_t link = kNoLink;
  double seconds = 0;  // for a subtotal: the sum of all steps above it
};
[[nodiscard]] std::string_view name(WaterfallStep::Kind kind);

struct Waterfall {
  // The published formula; "" if none holds for the problem. Without a formula, the steps begin
  // with the terms of the longest path.
  std::string formula;
  std::vector<WaterfallStep> steps;  // the last step is the simulated time
};

// Returns the steps from the formula to the simulated time. `longest` is the account of the
// schedule's longest path, with the ports of the run and the operation times of `nominal`;
// `simulated` is the account of the run. Steps for links are in descending order of the lost time.
[[nodiscard]] Waterfall waterfall(const RunResult& result, const Schedule& schedule,
                                  const OwnTimes& nominal, const TimeAccount& longest,
                                  const TimeAccount& simulated);

}}  // namespace tutti::simulation
