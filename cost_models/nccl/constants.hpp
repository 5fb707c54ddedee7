// Constants of NCCL's cost model in each release.
//
// Source: NVIDIA/nccl, src/graph/tuning.cc at the tags v2.19.1-1 to v2.30.7-1: baseLat, hwLat,
// llMaxBws, perChMaxRingLL128Bws, perChMaxTreeLL128Bws, perChMaxTreeBws, from 2.28.3 on
// ncclTunerConstantsDefaults; nvlsEfficiency, treeCorrectionFactor. NCCL stores nvlsEfficiency and
// treeCorrectionFactor as float. It stores latencies as float up to 2.27 and as double later, but
// rounds each latency to float before its first use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cost_models/nccl/cluster.hpp"

namespace tutti { inline namespace cost_models { namespace nccl_constants {

using ByProtocol = std::array<double, kNcclProtocols>;
using ByAlgorithm = std::array<ByProtocol, kNcclAlgorithms>;

enum class Link : std::uint8_t { nvlink, pci, network };
inline constexpr std::size_t kLinks = 3;

// Tables with one row per generation of GPUs (Volta and older, Ampere, Hopper, Blackwell) and one
// column per number of nodes (one, two, more).
inline constexpr std::size_t kGenerations = 4;
using ByNodes = std::array<double, 3>;
using ByGeneration = std::array<ByNodes, kGenerations>;

struct Constants {
  ByAlgorithm base_us;
  std::array<ByAlgorithm, kLinks> link_us;
  // Largest total bandwidth of all channels if the protocol is LL, in GB/s. For more than one node,
  // rows are not generations: the second row is for AMD processors, and the first for all others.
  ByGeneration most_ll;
  // Largest bandwidth of one channel, in GB/s, for the algorithm in the name of the table and, if
  // the name contains a protocol, only for this protocol.
  ByGeneration most_ring_ll128;
  ByGeneration most_tree_ll128;
  ByGeneration most_tree;
  ByGeneration most_nvls_tree;  // from 2.28.3 on

  // The first function returns the fixed latency of a call, the second the latency of each step
  // over a link of the kind `link`, both in microseconds.
  [[nodiscard]] double base_latency_us(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  [[nodiscard]] double link_latency_us(Link link, NcclAlgorithm algorithm,
                                       NcclProtocol protocol) const;
};

// Returns the constants of the release 2.`minor`.`patch`.
[[nodiscard]] const Constants& constants_of(int minor, int patch);

// Used from 2.28.3 on.
extern const std::array<float, kGenerations> kNvlsEfficiency;

// Factor on a tree's bandwidth. Each row is for one protocol. The index in a row is lg(bytes / 64).
// The last column exists from 2.29.2 on, and is not used for trees.
inline constexpr std::size_t kTreeSizes = 24;
extern const std::array<std::array<float, kTreeSizes>, kNcclProtocols> kTreeCorrection;

}}}  // namespace tutti::cost_models::nccl_constants
