// The numbers of NCCL's cost model.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc, ncclTunerConstantsDefaults,
// nvlsEfficiency, treeCorrectionFactor. The library keeps the first six in double, the last two in
// float.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cost_models/nccl/cluster.hpp"

namespace tutti::inline cost_models::nccl_constants {

using ByProtocol = std::array<double, kNcclProtocols>;
using ByAlgorithm = std::array<ByProtocol, kNcclAlgorithms>;

enum class Link : std::uint8_t { nvlink, pci, network };

// Microseconds, whatever is crossed; and for each step over a link of that kind.
[[nodiscard]] double base_latency_us(NcclAlgorithm algorithm, NcclProtocol protocol);
[[nodiscard]] double link_latency_us(Link link, NcclAlgorithm algorithm, NcclProtocol protocol);

// Volta and older, Ampere, Hopper, Blackwell; and one node, two, more.
inline constexpr std::size_t kGenerations = 4;
using ByNodes = std::array<double, 3>;
using ByGeneration = std::array<ByNodes, kGenerations>;

// GB/s of all channels in LL; of more than one node the first row is for Intel's processors, the
// second for AMD's.
extern const ByGeneration kMostLl;
// GB/s of one channel.
extern const ByGeneration kMostRingLl128;
extern const ByGeneration kMostTreeLl128;
extern const ByGeneration kMostTree;
extern const ByGeneration kMostNvlsTree;

extern const std::array<float, kGenerations> kNvlsEfficiency;

// Of trees by lg(bytes / 64).
inline constexpr std::size_t kTreeSizes = 24;
extern const std::array<std::array<float, kTreeSizes>, kNcclProtocols> kTreeCorrection;

}  // namespace tutti::inline cost_models::nccl_constants
