// Constants of NCCL's cost model.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc, ncclTunerConstantsDefaults,
// nvlsEfficiency, treeCorrectionFactor. NCCL stores nvlsEfficiency and treeCorrectionFactor as
// float, and the other constants as double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cost_models/nccl/cluster.hpp"

namespace tutti { inline namespace cost_models { namespace nccl_constants {

using ByProtocol = std::array<double, kNcclProtocols>;
using ByAlgorithm = std::array<ByProtocol, kNcclAlgorithms>;

enum class Link : std::uint8_t { nvlink, pci, network };

// The first function returns the fixed latency of a call, the second the latency of each step over
// a link of the kind `link`, both in microseconds.
[[nodiscard]] double base_latency_us(NcclAlgorithm algorithm, NcclProtocol protocol);
[[nodiscard]] double link_latency_us(Link link, NcclAlgorithm algorithm, NcclProtocol protocol);

// Tables with one row per generation of GPUs (Volta and older, Ampere, Hopper, Blackwell) and one
// column per number of nodes (one, two, more).
inline constexpr std::size_t kGenerations = 4;
using ByNodes = std::array<double, 3>;
using ByGeneration = std::array<ByNodes, kGenerations>;

// Largest total bandwidth of all channels if the protocol is LL, in GB/s. For more than one node,
// rows are not generations: the second row is for AMD processors, and the first for all others.
extern const ByGeneration kMostLl;
// Largest bandwidth of one channel, in GB/s, for the algorithm in the name of the table and, if the
// name contains a protocol, only for this protocol.
extern const ByGeneration kMostRingLl128;
extern const ByGeneration kMostTreeLl128;
extern const ByGeneration kMostTree;
extern const ByGeneration kMostNvlsTree;

extern const std::array<float, kGenerations> kNvlsEfficiency;

// Factor on a tree's bandwidth. Each row is for one protocol. The index in a row is lg(bytes / 64).
inline constexpr std::size_t kTreeSizes = 24;
extern const std::array<std::array<float, kTreeSizes>, kNcclProtocols> kTreeCorrection;

}}}  // namespace tutti::cost_models::nccl_constants
