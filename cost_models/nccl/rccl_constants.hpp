// Constants of RCCL's cost model.
//
// Source: ROCm/rccl 0cbce2a7 (RCCL 2.21.5), src/graph/tuning.cc: baseLat, rcclTuningModel;
// src/graph/topo.h. RCCL stores all of them as float.
#pragma once

#include <array>
#include <cstddef>

namespace tutti { inline namespace cost_models { namespace rccl_constants {

using ByProtocol = std::array<float, 3>;  // LL, LL128, Simple
// One value for trees, and one for rings.
template <typename Value>
using ByAlgorithm = std::array<Value, 2>;

// Index is lg(bytes / 64); the last entry is also for all larger sizes.
inline constexpr std::size_t kSizes = 27;
using BySize = std::array<float, kSizes>;

// Constants for nodes of one kind.
struct Tuning {
  // Latency of a step within a node over xGMI or PCI, and between nodes, in microseconds.
  std::array<ByAlgorithm<ByProtocol>, 3> step_us;
  // Share of the bandwidth of the links that a protocol reaches, on up to two nodes and on more.
  std::array<ByAlgorithm<ByProtocol>, 2> share;
  // Factors on the bandwidth, for each protocol. Those for rings are only for several nodes.
  ByAlgorithm<std::array<BySize, 3>> corrections;
};

extern const Tuning kTuning0;
extern const Tuning kTuning3;
extern const Tuning kTuning5;

inline constexpr ByProtocol kBaseUs{12.0F, 12.0F, 17.0F};

}}}  // namespace tutti::cost_models::rccl_constants
