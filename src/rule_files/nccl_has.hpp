// What NCCL has at all, on whatever machine.
#pragma once

#include <string_view>

#include "schedules/collective.hpp"

namespace tutti::inline rule_files {

// Whether any NCCL runs the algorithm with the protocol for the collective, by the names of tuner
// files. Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc, ncclTopoTuneModel.
[[nodiscard]] bool nccl_has(Collective collective, std::string_view algorithm,
                            std::string_view protocol);

}  // namespace tutti::inline rule_files
