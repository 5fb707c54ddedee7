// The machine of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/simulation/machine.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

struct StepMachine {
  OpenedMachine opened;
  std::optional<NcclOptions> gpus;  // set if the hosts are GPUs, for NCCL's choices
  Machine plain;                    // for collectives alone
  // For unions: copies have the price kUnionCopy_s_per_byte.
  Machine machine;
  std::vector<std::uint32_t> host_of_rank;
  std::uint32_t ranks_per_node = 1;  // consecutive hosts of GPUs, or the ranks of a host
  bool shares_cores = false;         // true if a host has more ranks than cores
  // False: all replicas, and all iterations of loops, are simulated.
  bool replicas = true;
  bool repetition = true;
};

// Returns the options for NCCL's choices, on the platform of `machine`; nothing if its hosts are
// not GPUs. Throws UserError.
[[nodiscard]] std::optional<NcclOptions> gpus_for_steps(const NcclOptions& gpus,
                                                        const MachineOptions& machine,
                                                        const RanksOption& ranks_per_host);

// Returns the machine for a number of ranks. If the hosts are GPUs, reductions take no time and
// ports are unlimited, unless the user set them otherwise, because NCCL's kernels reduce data as
// they receive them and its channels work at the same time. A message then has the latency of a
// step of NCCL's rings. If there is no platform but `gpus`, the platform is that of its machine.
// Throws UserError.
[[nodiscard]] StepMachine step_machine(OpenedMachine opened, const std::optional<NcclOptions>& gpus,
                                       std::uint32_t ranks, std::uint32_t ranks_per_host,
                                       std::uint32_t element_bytes);

// Returns how many consecutive ranks of a communicator are on each of its nodes; nothing if the
// nodes have different numbers, or if the ranks of a node are not consecutive.
[[nodiscard]] std::optional<std::uint32_t> ranks_on_each_node(const StepMachine& machine,
                                                              const std::vector<Rank>& members);

// Returns the machine as a communicator sees it: its ranks are on the hosts of `members`.
[[nodiscard]] Machine machine_of_members(const StepMachine& machine,
                                         const std::vector<Rank>& members);
// Returns the machine of a step whose rank i is members[i] of a larger one.
[[nodiscard]] StepMachine part_of_machine(const StepMachine& machine,
                                          const std::vector<Rank>& members);

}}  // namespace tutti::steps
