// Why NCCL would not run one of its algorithms with a protocol, in words.
#pragma once

#include <string>

#include "cost_models/nccl/model.hpp"

namespace tutti::inline cost_models {

// "" where the model has a time for it.
[[nodiscard]] std::string nccl_why_not(const NcclModel& model, Collective collective,
                                       NcclAlgorithm algorithm, NcclProtocol protocol);

}  // namespace tutti::inline cost_models
