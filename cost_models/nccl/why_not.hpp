// The reason, in words, why NCCL would not run an algorithm with a protocol.
#pragma once

#include <string>

#include "cost_models/nccl/model.hpp"

namespace tutti { inline namespace cost_models {

// Returns the reason; "" if NCCL would run the algorithm with the protocol.
[[nodiscard]] std::string nccl_why_not(const NcclModel& model, Collective collective,
                                       NcclAlgorithm algorithm, NcclProtocol protocol);

}}  // namespace tutti::cost_models
