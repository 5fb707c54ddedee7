// SimAI's analytical totals for the machine of a simulated step.
#pragma once

#include "src/steps/machine.hpp"
#include "src/steps/simai/totals.hpp"

namespace tutti { inline namespace steps {

struct SimaiComparison {
  SimaiMachine machine;
  SimaiTotals totals;
};

// The nodes, cards and rates are those of the simulated platform. Throws UserError, a sentence, if
// its hosts are not GPUs behind a switch in each node, or if SimAI's formulas have no result.
[[nodiscard]] SimaiComparison simai_comparison(const SimaiWorkload& workload,
                                               const StepMachine& machine);

}}  // namespace tutti::steps
