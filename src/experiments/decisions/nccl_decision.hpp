// Decisions for rules of NCCL. The candidates are NCCL's own algorithms with each of their
// protocols, simulated as NCCL runs them. NCCL's own choice is the baseline. A rule may replace it
// only if the rule is at least as fast by simulation, and if NCCL's own model does not find it
// slower than allowed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "src/experiments/decisions/decision_request.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

struct NcclRuleSetup {
  NcclOptions machine;
  // The user's platform; nothing: nodes with the figures of NCCL's model.
  std::optional<OpenedMachine> platform;
  // Largest loss by NCCL's model, as a share of the time of its own choice.
  double model_loss = 0;
};

// Replaces the candidates of `prepared` by NCCL's algorithms and NCCL's own choice. If `only` is
// not empty, the candidates are the algorithms of NCCL whose schedules are in it. Throws UserError
// if there are none.
void use_nccl_candidates(PreparedDecision& prepared, const NcclRuleSetup& setup,
                         const std::vector<const Algorithm*>& only);
// Times all candidates with `jobs` threads, and fills in the rules of the decision.
void carry_out_nccl(Decision& decision, const NcclRuleSetup& setup, std::size_t jobs);

// Returns a platform of the machine of --gpu and related options, with the latencies that 'tutti
// platform gpu' assumes. It has room for `ranks` ranks, one on each host. All nodes are below the
// same switches.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> nccl_platform(const NcclOptions& machine,
                                                                   std::uint32_t ranks);

}}  // namespace tutti::experiments
