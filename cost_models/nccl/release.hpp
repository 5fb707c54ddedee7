// Releases of NCCL whose cost models tutti has, and how their formulas differ.
//
// Source: NVIDIA/nccl, tags v2.19.1-1 to v2.30.7-1: src/graph/tuning.cc (ncclTopoTuneModel,
// ncclTopoGetAlgoTime), src/enqueue.cc (updateCollCostTable, topoGetAlgoInfo; up to 2.21,
// getAlgoInfo and getChannnelThreadInfo), src/graph/connect.cc (ncclTopoPostset) and
// src/transport/nvls.cc (ncclNvlsInit, ncclNvlsTuning). 2.31.2: commit 88980683,
// src/tuning. 2.32.3: commit 12df1a11, src/tuning/ring.cc, nvls.cc and pat.cc. Its tree.cc and
// collnet.cc are not available; those of 2.31.2 compile with the other files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace cost_models {

namespace nccl_constants {
struct Constants;
}

// How a release computes the bandwidth of NVLink multicast.
enum class NcclMulticastModel : std::uint8_t {
  slower_link,  // the slower one of NVLink and network
  own_data,     // as above, but a GPU does not receive its own data in a gather
  measured,     // with a measured efficiency for each generation of GPUs
};

// How a release models allgather and reduce_scatter with CollNet direct.
enum class NcclNetworkGather : std::uint8_t { none, scaled_by_gpus, limited_by_cards };

// Differences between releases besides the constants. The comment of each member says from which
// release on the member has its default value.
struct NcclFormulas {
  bool blackwell_known = true;  // false in 2.32: tutti does not have its constants for Blackwell
  bool blackwell = true;        // 2.25: constants for capability 10.0 and higher
  bool mixed_cpus_like_amd = true;  // 2.24: table of LL for jobs with Intel and AMD processors
  bool half_ring_ll = true;         // 2.21: LL halves the bandwidth of a ring; before, /4 or /3
  bool lone_gpus_expose_network = true;     // 2.23: rings on nodes of one GPU have a tree's latency
  bool rings_of_lone_gpus_slow = false;     // 2.23: LL128 has no extra loss on such rings
  bool first_network_steps_overlap = true;  // 2.23: an allreduce has 2(N - 1) network steps, not 2N
  bool gathers_keep_multicast = true;       // 2.23: the bandwidth of gathers by NVLS is not reduced
  bool multicast_like_rings = true;         // 2.28: NVLS has a ring's share, not 5/6
  NcclMulticastModel multicast = NcclMulticastModel::measured;             // 2.28
  NcclNetworkGather network_gather = NcclNetworkGather::limited_by_cards;  // 2.27
  bool gathers_between_nodes = true;      // 2.27: NVLS and CollNet gather on several nodes
  bool multicast_gathers_limited = true;  // 2.25: NVLS gathers on at most 32 GPUs of a node
  double pat_share = .75;                 // 2.24: share of bandwidth that PAT reaches; 0: no PAT
  bool pat_needs_atomics = true;          // 2.26: PAT needs capability 6.0
  bool pat_base_first = false;            // 2.28: order of summation in PAT's latency
  bool chain_needs_support = true;        // 2.30.7: CollNet chain needs the plugin's support
  bool chain_limited = true;              // 2.28: CollNet chain needs at most 8 GPUs of a node
  bool direct_limited = true;             // 2.23: CollNet direct needs at most 8 GPUs of a node
  bool ll128_on_every_gpu = true;         // 2.27: not only for capabilities that NVIDIA lists
  bool ll128_between_generations = true;  // 2.30: GPUs may differ in capability, from 9.0 on
  bool multicast_trees_corrected = true;  // 2.29: the correction for trees is also for NVLS trees
  bool trees_use_all_threads = true;      // 2.22
  bool tiny_trees_corrected = false;      // 2.22: no correction below 64 bytes
  int calls_in_batch = 8;                 // 2.30: calls of a group that share the latency
  int most_channels = 64;                 // 2.25
  bool few_channels_doubled = true;    // 2.20: rings of Hopper are doubled only below 16 channels
  bool chain_adds_channels = true;     // 2.22: CollNet's chain, not direct, adds channels
  bool rings_match_multicast = false;  // 2.28: rings have no copies for NVLS's channels
  bool copies_carry_calls = true;      // 2.22: calls use these copies, too
  bool multicast_limited_by_rings = true;    // 2.28: NVLS on several nodes has a ring's channels
  bool fewer_channels_of_one_domain = true;  // 2.27: 24 channels for NVLS on Blackwell, not 32
  bool channels_by_card = true;              // 2.30: channels for NVLS on Blackwell depend on cards
  bool multicast_of_two_gpus = true;         // 2.28.7: NVLS on nodes of 2 GPUs
  bool c2c_paths = true;                     // 2.27: paths over C2C count as such (P2C), not as PHB
  // 2.31: each algorithm has a model of its own (src/tuning), with these differences:
  // - on Blackwell, rings on two nodes have the bandwidth between nodes, and trees the lower of the
  //   bandwidths within a node and between nodes; PAT has the lower one on any GPU;
  // - only rings have a tree's latency on nodes of one GPU, PAT adds the plugin's latency once, and
  //   Power processors have no latencies of their own;
  // - CollNet needs no NVLink switches, has no network latency on a single node, and on several
  //   nodes every GPU must be a head;
  // - on a single Blackwell node, rings that gather have the latency of long rings, too;
  // - the correction for NVLS trees is also for ARM processors with 4 GPUs and fast cards;
  // - among equally fast algorithms, NCCL chooses the last.
  bool own_models = true;
  bool rings_of_odd_cards = false;  // 2.20: rings that cross cards come in pairs
  // 2.21: on nodes of more than 4 GPUs, the search finds rings that cross cards only with channels
  // of this bandwidth or more, because it stops at its limit of steps.
  float crossing_gb_per_s = 0;
  bool trees_through_cpus = true;  // 2.25 to 2.28: on Ampere and older GPUs, the search finds no
                                   // trees if no two GPUs share a PCI switch
  bool pxn_over_c2c = true;        // 2.28: a GPU reaches the card of another GPU's processor (PXN)
};

struct NcclRelease {
  int minor = 0;
  int patch = 0;
  std::string name;  // "2.27.5"
  std::string_view library = "NCCL";
  NcclFormulas formulas;
  const nccl_constants::Constants* constants = nullptr;

  [[nodiscard]] std::string title() const;  // "NCCL 2.27.5"
};

// Returns all releases, the oldest first.
[[nodiscard]] std::span<const NcclRelease> nccl_releases();
// Returns the release that the newest release of PyTorch contains. Used unless the user names
// another.
[[nodiscard]] const NcclRelease& nccl_default_release();
// Returns the only release of RCCL, the library for AMD GPUs, whose model tutti has. It has no
// formulas and constants; see rccl.hpp.
[[nodiscard]] const NcclRelease& rccl_release();
// True if `text` names RCCL or one of its releases.
[[nodiscard]] bool is_rccl(std::string_view text);
// Names for users: "2.19", "2.20" and so on. "2.19" means the newest release of 2.19.
[[nodiscard]] const std::vector<std::string>& nccl_release_lines();

// Returns the release that `text` names: "2.27.5", "NCCL 2.27.5", "v2.27.5-1", or "2.27" for the
// newest release of 2.27; or "RCCL 2.21.5". Throws UserError for others. The message begins with
// `what` and says which releases are known, each with `prefix` before it, such as "NCCL ".
[[nodiscard]] const NcclRelease& nccl_release_named(std::string_view what, std::string_view text,
                                                    std::string_view prefix = "");

}}  // namespace tutti::cost_models
