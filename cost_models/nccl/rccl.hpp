// RCCL's own cost model for nodes of AMD GPUs whose rings RCCL has written out. Results are
// bit-identical to RCCL's.
//
// Source: ROCm/rccl 0cbce2a7 (RCCL 2.21.5), src/graph/tuning.cc (ncclTopoTuneModel,
// ncclTopoGetAlgoTime), src/graph/rome_models.cc (models 79, 81, 85 and others; parseGraph),
// src/graph/connect.cc (ncclTopoPostset), src/init.cc, src/enqueue.cc (topoGetAlgoInfo,
// getChannnelThreadInfo). The model assumes that environment variables are unset, and that RCCL
// considers no GPUs in partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cost_models/nccl/cluster.hpp"
#include "cost_models/nccl/constants.hpp"
#include "cost_models/nccl/model.hpp"
#include "cost_models/nccl/rccl_constants.hpp"

namespace tutti { inline namespace cost_models {

// Nodes that RCCL recognises, as one node or as one of several.
struct RcclNodes {
  std::string_view gpu;  // "mi300x"
  bool several = false;
  std::uint32_t gpus = 8;
  std::uint32_t cards = 0;  // that rings use
  // Number of written-out rings, and the bandwidth of all links of a GPU. Each ring has an equal
  // share of it. Trees are chains with the orders of the rings.
  int rings = 0;
  float gb_per_s = 0;
  int channels = 0;  // of calls, with the copies of rings
  const rccl_constants::Tuning* tuning = nullptr;
  // True if rings with LL are faster for rooted collectives, and trees have no Simple.
  bool tuned_for_one_node = false;
  // True if RCCL may run schedules of MSCCL instead.
  bool msccl = false;
};

// Returns the job with RCCL's graphs. Throws UserError if `ranks` are not whole nodes.
[[nodiscard]] NcclCluster rccl_cluster(std::string_view gpu, NcclCpu cpu, std::uint32_t ranks);

// The following functions are the parts of NcclModel for clusters with NcclCluster::rccl.
[[nodiscard]] NcclCost rccl_cost(const NcclCluster& cluster, Collective collective,
                                 NcclAlgorithm algorithm, NcclProtocol protocol);
[[nodiscard]] float rccl_time_us(const NcclCluster& cluster, const NcclCost& cost,
                                 NcclAlgorithm algorithm, NcclProtocol protocol,
                                 std::uint64_t bytes, int calls);
// Returns the latency of a step over a link; nvlink means xGMI.
[[nodiscard]] float rccl_step_us(const NcclCluster& cluster, nccl_constants::Link link,
                                 NcclAlgorithm algorithm, NcclProtocol protocol);
[[nodiscard]] int rccl_channels_for(int most, std::uint32_t ranks, NcclAlgorithm algorithm,
                                    NcclProtocol protocol, std::uint64_t bytes);
inline constexpr int kRcclThreads = 256;

// Returns why the model gives no time.
[[nodiscard]] std::string_view rccl_why_not(const NcclCluster& cluster, Collective collective,
                                            NcclAlgorithm algorithm, NcclProtocol protocol);

}}  // namespace tutti::cost_models
