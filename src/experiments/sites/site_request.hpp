// A site's rules, asked for in values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sites/site.hpp"

namespace tutti::inline experiments {

struct SiteRequest {
  LibraryRelease release;
  RuleFormat form = RuleFormat::ompi4;  // that rules of the release are written in
  // One for each collective, on one machine. Without ranks, those that the machine has room for;
  // without sizes, those that benchmarks take.
  std::vector<DecisionRequest> decisions;
  std::vector<std::uint32_t> ranks_per_host;   // each is decided for
  std::optional<std::uint64_t> most_messages;  // as of Decision; nothing: what runs within seconds
  std::size_t jobs = 1;
};

// Makes the runner of a decision's cases; null where nothing is run.
using RunnerOf = std::function<std::unique_ptr<Runner>(const Decision&)>;

// Throws UserError for what prepare_decision() refuses, and for ranks that there is no room for.
// `lost` becomes true where a run was lost.
[[nodiscard]] Site decide_site(const SiteRequest& request, const RunnerOf& runner_of, bool& lost);

// Why schedules of a decision were left out, and what would decide them too.
[[nodiscard]] std::string too_many_messages(const Decision& decision);

}  // namespace tutti::inline experiments
