// Bandwidths that NCCL's search uses: those that it tries for a channel, and those of NVLinks.
//
// Source: NVIDIA/nccl, tags v2.19.1-1 to v2.30.7-1, and 88980683 (2.31.2): src/graph/search.cc,
// speedArrayIntra and so on; src/graph/topo.h.
#pragma once

#include <vector>

#include "cost_models/nccl/release.hpp"

namespace tutti { inline namespace cost_models {

// Returns the bandwidths in GB/s that the search tries for a channel within a node or between
// nodes, the highest first. `capability` is as in NcclMachine.
[[nodiscard]] std::vector<float> nccl_speeds(int capability, bool between,
                                             const NcclRelease& release);

// Returns the bandwidth of an NVLink in the release, divided by that in the newest release.
[[nodiscard]] double nccl_link_share(int capability, const NcclRelease& release);

}}  // namespace tutti::cost_models
