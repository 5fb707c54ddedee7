// NCCL's own cost model: the time that the library predicts for each of its algorithms and
// protocols, and the choice that it would make. Results are bit-identical to the library's, because
// they use its float and double types and its order of operations.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc, ncclTopoTuneModel and
// ncclTopoGetAlgoTime; src/enqueue.cc, updateCollCostTable and topoGetAlgoInfo. Assumes that there
// is no tuner plugin, that NCCL_ALGO, NCCL_PROTO, NCCL_NTHREADS, NCCL_NET_OVERHEAD and
// NCCL_PAT_ENABLE are unset, and that reductions are sums of floats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cost_models/nccl/cluster.hpp"
#include "schedules/collective.hpp"

namespace tutti::inline cost_models {

// The collectives that NCCL has algorithms for, in NCCL's order: bcast, reduce, allgather,
// reduce_scatter, allreduce.
[[nodiscard]] std::span<const Collective> nccl_collectives();

struct NcclCost {
  float latency_us = 0;
  float gb_per_s = 0;  // algorithm bandwidth: bytes of the largest buffer over time; 0: cannot run
};

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  float time_us = 0;
  int channels = 0;  // upper limit; NCCL uses fewer if each would have too little to do
  int threads = 0;   // per channel
};

class NcclModel {
 public:
  // The cluster must have at least 2 ranks, and a rank on every node. Throws UserError otherwise.
  explicit NcclModel(NcclCluster cluster);

  [[nodiscard]] const NcclCluster& cluster() const { return cluster_; }
  [[nodiscard]] const NcclChannels& channels() const { return channels_; }

  // `collective` must be one of nccl_collectives().
  [[nodiscard]] const NcclCost& cost(Collective collective, NcclAlgorithm algorithm,
                                     NcclProtocol protocol) const;

  // Returns the predicted time in microseconds, or nothing if NCCL would not run the algorithm.
  // `bytes` is the size of a rank's input or output, whichever is larger. `calls` is the number of
  // calls in one group. Up to 8 of these calls share one latency, except with rings.
  [[nodiscard]] std::optional<float> time_us(Collective collective, NcclAlgorithm algorithm,
                                             NcclProtocol protocol, std::uint64_t bytes,
                                             int calls = 1) const;

  // Returns the choice with the least predicted time, the first if there are several. Returns
  // nothing if no algorithm can run.
  [[nodiscard]] std::optional<NcclChoice> choose(Collective collective, std::uint64_t bytes,
                                                 int calls = 1) const;

  // Returns the number of channels that NCCL uses for the algorithm, whether or not it would choose
  // it.
  [[nodiscard]] int channels_for(NcclAlgorithm algorithm, NcclProtocol protocol,
                                 std::uint64_t bytes) const;

 private:
  // True if NCCL considers the algorithm for a call at all, whatever the model predicts.
  [[nodiscard]] bool considered(Collective collective, NcclAlgorithm algorithm) const;
  [[nodiscard]] int threads(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  // Least number of bytes for each thread of a channel. With fewer bytes, NCCL uses fewer channels
  // and fewer threads.
  [[nodiscard]] std::uint64_t bytes_of_thread(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  [[nodiscard]] int threads_of(NcclAlgorithm algorithm, NcclProtocol protocol, int channels,
                               std::uint64_t bytes) const;

  NcclCluster cluster_;
  NcclChannels channels_;
  std::array<std::array<std::array<NcclCost, kNcclProtocols>, kNcclAlgorithms>, 5> costs_{};
};

}  // namespace tutti::inline cost_models
