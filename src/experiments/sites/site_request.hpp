// Request for a site's rules, with parsed values in place of option texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/profiles/profile.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sites/site.hpp"

namespace tutti { inline namespace experiments {

struct SiteRequest {
  LibraryRelease release;
  RuleFormat form = RuleFormat::ompi4;  // the format in which the release reads rules
  // One per collective, all on the same machine. If a request has no numbers of ranks, usual
  // numbers for which the machine has room are used. If a request has no sizes, the usual sizes of
  // benchmarks are used.
  std::vector<DecisionRequest> decisions;
  std::vector<std::uint32_t> ranks_per_host;  // decisions are made for each of these numbers
  // If set, only the calls of this program are decided, weighted by their numbers. The requests
  // must have the numbers of ranks and the sizes of these calls.
  std::optional<Profile> profile;
  // Schedules with more messages than this are not simulated. Empty: a default limit applies, with
  // which each simulation takes at most a few seconds.
  std::optional<std::uint64_t> most_messages;
  std::size_t jobs = 1;
  // True if the runner of one decision may run the cases of all.
  bool one_runner = false;
};

// Makes the runner for the cases of a decision; returns null if nothing is run.
using RunnerOf = std::function<std::unique_ptr<Runner>(const Decision&)>;

// Returns the rules for a site. Throws UserError as prepare_decision() does, and if the platform
// has no room for any of the numbers of ranks. Sets `lost` to true if a run has failed.
[[nodiscard]] Site decide_site(const SiteRequest& request, const RunnerOf& runner_of, bool& lost);

// Returns a text that says why schedules of a decision were left out, and which option would
// include them.
[[nodiscard]] std::string too_many_messages(const Decision& decision);

}}  // namespace tutti::experiments
