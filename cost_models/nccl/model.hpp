// NCCL's own cost model: the time that NCCL predicts for each of its algorithms and protocols, and
// the choice that NCCL would make. Results are bit-identical to NCCL's, because the code here uses
// the same float and double types and the same order of operations.
//
// The sources are those in release.hpp. The model assumes that there is no tuner plugin, that
// NCCL_ALGO, NCCL_PROTO, NCCL_NTHREADS, NCCL_NET_OVERHEAD, NCCL_LL128_C2C and NCCL_PAT_ENABLE are
// unset, that NCCL was compiled with CUDA 12 or newer, and that reductions are sums of floats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cost_models/nccl/cluster.hpp"
#include "schedules/collective.hpp"

namespace tutti { inline namespace cost_models {

// The collectives that NCCL has algorithms for, in NCCL's order: bcast, reduce, allgather,
// reduce_scatter, allreduce.
[[nodiscard]] std::span<const Collective> nccl_collectives();

struct NcclCost {
  float latency_us = 0;
  // Algorithm bandwidth: bytes of the largest buffer, divided by time. 0 if the algorithm cannot
  // run.
  float gb_per_s = 0;
};

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  float time_us = 0;
  // Largest number of channels; NCCL uses fewer if each channel would have too few bytes.
  int channels = 0;
  // Number of threads per channel.
  int threads = 0;
};

class NcclModel {
 public:
  // The cluster must have at least 2 ranks, and a rank on every node, and the constants of its GPUs
  // must be known. Throws UserError otherwise.
  explicit NcclModel(NcclCluster cluster);

  [[nodiscard]] const NcclCluster& cluster() const { return cluster_; }
  [[nodiscard]] const NcclChannels& channels() const { return channels_; }

  // `collective` must be one of nccl_collectives().
  [[nodiscard]] const NcclCost& cost(Collective collective, NcclAlgorithm algorithm,
                                     NcclProtocol protocol) const;

  // Returns the predicted time in microseconds, or nothing if NCCL would not run the algorithm.
  // `bytes` is the size of a rank's input or output, whichever is larger. `calls` is the number of
  // calls in one group (ncclGroupStart). Except with rings, several calls of a group, 8 with 2.30,
  // pay the latency only once.
  [[nodiscard]] std::optional<float> time_us(Collective collective, NcclAlgorithm algorithm,
                                             NcclProtocol protocol, std::uint64_t bytes,
                                             int calls = 1) const;

  // Returns the choice with the shortest predicted time. If several choices have this time, returns
  // the first of them in NCCL's order, or from 2.31 on, the last. Returns nothing if no algorithm
  // can run.
  [[nodiscard]] std::optional<NcclChoice> choose(Collective collective, std::uint64_t bytes,
                                                 int calls = 1) const;

  // Returns the number of channels that NCCL uses for the algorithm, even if NCCL would choose
  // another algorithm.
  [[nodiscard]] int channels_for(NcclAlgorithm algorithm, NcclProtocol protocol,
                                 std::uint64_t bytes) const;

 private:
  // True if NCCL considers the algorithm for a call at all, whatever the model predicts.
  [[nodiscard]] bool considered(Collective collective, NcclAlgorithm algorithm) const;
  [[nodiscard]] bool multicast_tree_corrected(int size) const;
  [[nodiscard]] bool has_long_rings(Collective collective) const;
  [[nodiscard]] int threads(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  // Returns the least number of bytes that each thread of a channel should have. With fewer bytes,
  // NCCL uses fewer channels and fewer threads.
  [[nodiscard]] std::uint64_t bytes_of_thread(NcclAlgorithm algorithm, NcclProtocol protocol) const;
  [[nodiscard]] int threads_of(NcclAlgorithm algorithm, NcclProtocol protocol, int channels,
                               std::uint64_t bytes) const;

  NcclCluster cluster_;
  NcclChannels channels_;
  std::array<std::array<std::array<NcclCost, kNcclProtocols>, kNcclAlgorithms>, 5> costs_{};
};

}}  // namespace tutti::cost_models
