// NCCL's own cost model: what the library believes each of its algorithms and protocols takes, and
// which it would run. The results are the library's to the last bit: its float and double, in its
// order of operations.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc, ncclTopoTuneModel and
// ncclTopoGetAlgoTime; src/enqueue.cc, updateCollCostTable and topoGetAlgoInfo. As without a
// tuner's plugin and without NCCL_ALGO, NCCL_PROTO, NCCL_NTHREADS, NCCL_NET_OVERHEAD and
// NCCL_PAT_ENABLE, of a sum of floats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cost_models/nccl/cluster.hpp"
#include "schedules/collective.hpp"

namespace tutti::inline cost_models {

// The collectives that NCCL has algorithms for, in its order: bcast, reduce, allgather,
// reduce_scatter, allreduce.
[[nodiscard]] std::span<const Collective> nccl_collectives();

struct NcclCost {
  float latency_us = 0;
  float gb_per_s = 0;  // of the algorithm: bytes of the largest buffer over time; 0: not taken
};

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  float time_us = 0;
  int channels = 0;  // at most so many; a call with less to do for each takes fewer
  int threads = 0;   // of a channel
};

class NcclModel {
 public:
  // Of at least 2 ranks, and not fewer than nodes. Throws UserError for others.
  explicit NcclModel(NcclCluster cluster);

  [[nodiscard]] const NcclCluster& cluster() const { return cluster_; }
  [[nodiscard]] const NcclChannels& channels() const { return channels_; }

  // Of the five collectives only.
  [[nodiscard]] const NcclCost& cost(Collective collective, NcclAlgorithm algorithm,
                                     NcclProtocol protocol) const;

  // Microseconds for n bytes, the larger of what a rank gives and gets; `calls` in one group share
  // the latency of all but rings. Nothing where NCCL would not run it.
  [[nodiscard]] std::optional<float> time_us(Collective collective, NcclAlgorithm algorithm,
                                             NcclProtocol protocol, std::uint64_t bytes,
                                             int calls = 1) const;

  // What it runs: the least time, the first of several. Nothing where it has none.
  [[nodiscard]] std::optional<NcclChoice> choose(Collective collective, std::uint64_t bytes,
                                                 int calls = 1) const;

  // With which it runs the algorithm, whether or not it chooses that.
  [[nodiscard]] int channels_for(NcclAlgorithm algorithm, NcclProtocol protocol,
                                 std::uint64_t bytes) const;

 private:
  // Whether a call looks at the algorithm at all, whatever the model says.
  [[nodiscard]] bool considered(Collective collective, NcclAlgorithm algorithm) const;
  [[nodiscard]] int threads(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  // Bytes for each thread of a channel; with fewer there are fewer of both.
  [[nodiscard]] std::uint64_t bytes_of_thread(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  [[nodiscard]] int threads_of(NcclAlgorithm algorithm, NcclProtocol protocol, int channels,
                               std::uint64_t bytes) const;

  NcclCluster cluster_;
  NcclChannels channels_;
  std::array<std::array<std::array<NcclCost, kNcclProtocols>, kNcclAlgorithms>, 5> costs_{};
};

}  // namespace tutti::inline cost_models
