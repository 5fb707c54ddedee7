#include "src/steps/simai/comparison.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "src/experiments/decisions/nccl_simulation.hpp"

namespace tutti { inline namespace steps {

SimaiComparison simai_comparison(const SimaiWorkload& workload, const StepMachine& machine) {
  if (!machine.gpus) {
    throw UserError("the hosts of the platform are not GPUs");
  }
  const GpuPlatform nodes = nccl_nodes(machine.gpus->job(std::max(workload.gpus, 2U)));
  if (nodes.inner != "switch") {
    throw UserError("they are for nodes whose GPUs are joined by a switch");
  }
  SimaiComparison made;
  made.machine = {nodes.gpus, nodes.cards, nodes.inner_bytes_per_s * 1e-9,
                  nodes.card_bytes_per_s * nodes.working_share() * 1e-9};
  made.totals = simai_totals(workload, made.machine);
  return made;
}

}}  // namespace tutti::steps
