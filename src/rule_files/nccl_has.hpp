// Lists the combinations of collective, algorithm and protocol that NCCL implements, regardless of
// the machine.
#pragma once

#include <string_view>

#include "schedules/collective.hpp"

namespace tutti::inline rule_files {

// True if NCCL can run the algorithm with the protocol for the collective on some machine. The
// names are those of tuner files. Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc,
// ncclTopoTuneModel.
[[nodiscard]] bool nccl_has(Collective collective, std::string_view algorithm,
                            std::string_view protocol);

}  // namespace tutti::inline rule_files
