// Proves many schedules at once. Each cell is an algorithm with one number of ranks, size and root.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/verify/verify.hpp"

namespace tutti::inline experiments {

struct ProofCell {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  // Why the algorithm does not support the user's problem, if that is known without a schedule.
  // `problem` is then another one, for the report.
  std::optional<std::string> refusal = {};
};

struct ProofOutcome {
  std::optional<std::string> refusal;  // why the algorithm does not support the problem
  // Result of the proof; unset if there is a refusal. If all blocks have the same size, the result
  // also says whether the closed form of the algorithm's time, if there is one, is correct.
  Verdict verdict;
};

[[nodiscard]] ProofOutcome prove(const ProofCell& cell);

// Proves the schedules of all cells in parallel, on all processors. The outcomes are in the order
// of `cells`. Calls progress(number of cells done) from the calling thread, about ten times a
// second. If a proof throws, no further proof begins, and prove_all() also throws, once all running
// proofs have ended.
[[nodiscard]] std::vector<ProofOutcome> prove_all(const std::vector<ProofCell>& cells,
                                                  const std::function<void(std::size_t)>& progress);

}  // namespace tutti::inline experiments
