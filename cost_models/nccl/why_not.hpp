// The reason, in words, why NCCL would not run one of its algorithms with a protocol.
#pragma once

#include <string>

#include "cost_models/nccl/model.hpp"

namespace tutti::inline cost_models {

// Returns "" if the model predicts a time for them.
[[nodiscard]] std::string nccl_why_not(const NcclModel& model, Collective collective,
                                       NcclAlgorithm algorithm, NcclProtocol protocol);

}  // namespace tutti::inline cost_models
