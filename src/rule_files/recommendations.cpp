// The texts below name their sources as follows:
// - "MPICH's default rules": maint/tuning/coll/mpir/generic.json, of 4.0 to 4.3. Other sources of
//   MPICH are files in src/mpi/coll, whose comments give the advice.
// - "Open MPI's default decisions": ompi/mca/coll/tuned/coll_tuned_decision_fixed.c at v5.0.9. Its
//   tables change only at powers of two. A recommendation that quotes only a part of a table says
//   which part. Other sources of Open MPI are functions in ompi/mca/coll/base.
// - "UCC's default scores": src/components/tl/ucp/COLLECTIVE/COLLECTIVE.h at 8263de47.
// - Papers: see REFERENCES.md.
#include "src/rule_files/recommendations.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;

constexpr std::string_view kMpichRules = "MPICH's default rules";
constexpr std::string_view kOmpiRules = "Open MPI's default decisions, 5.0";
constexpr std::string_view kUccScores = "UCC's default scores";
constexpr std::string_view kThakur = "Thakur, Rabenseifner and Gropp, 2005";
constexpr std::string_view kRabenseifner = "Rabenseifner, ICCS 2004";
constexpr std::string_view kBine = "Bine trees, arXiv 2508.17311";
constexpr std::string_view kPat = "PAT, arXiv 2506.20252";
constexpr std::string_view kJain = "Jain and Sabharwal, ICS 2010";
constexpr std::string_view kHan = "Open MPI HAN, which has priority over tuned from 5.0 on";
constexpr std::string_view kLanes = "Träff and Hunold, CLUSTER 2020";

constexpr std::string_view kFewGlobalLinks =
    "networks with fewer links between groups than within them: dragonflies, oversubscribed fat "
    "trees, tori";
constexpr std::string_view kManyRanksOfNodes = "several nodes with several ranks each";
constexpr std::string_view kTorus = "large vectors on a torus";
constexpr std::string_view kSeveralLanes = "nodes with several lanes to the network";
constexpr std::string_view kWhereRingsAreSlow =
    "small sizes and many ranks, where a ring has too many steps";

constexpr auto kAll = std::to_array<Recommendation>(
    {{allreduce, "recursive_doubling",
      "up to 8 bytes, user-defined operators, or fewer elements than p'", kMpichRules},
     {allreduce, "recursive_doubling", "up to 2 KiB", kThakur},
     {allreduce, "recursive_doubling", "below 256 KiB on 64 to 127 ranks", kOmpiRules},
     {allreduce, "nonoverlapping", "below 2 KiB on 512 ranks and more", kOmpiRules},
     {allreduce, "rabenseifner", "above 2 KiB", kThakur},
     {allreduce, "rabenseifner", "from 256 KiB, on 64 to 127 ranks", kOmpiRules},
     {allreduce, "reduce_scatter_allgather",
      "above 8 bytes, with predefined operators and p' elements or more", kMpichRules},
     {allreduce, "binary_blocks", "long vectors if p is not a power of two", kRabenseifner},
     {allreduce, "allgather_reduce", "small vectors between nodes",
      "Open MPI, allreduce_intra_allgather_reduce"},
     {allreduce, "knomial", "below 4 KiB", kUccScores},
     {allreduce, "sra_knomial", "from 4 KiB", kUccScores},
     {allreduce, "recursive_multiplying",
      "with K chosen for the network, such as the number of network cards of a node",
      "MPICH, allreduce_intra_recursive_multiplying"},
     {allreduce, "double_tree", "many nodes, where a ring has too many steps",
      "NVIDIA, on NCCL 2.4"},
     {allreduce, "bine", kFewGlobalLinks, kBine},
     {allreduce, "bine_doubling", kFewGlobalLinks, kBine},
     {allreduce, "bucket", kTorus, kJain},
     {allreduce, "hierarchical", kManyRanksOfNodes, kHan},
     {allreduce, "multilane", kSeveralLanes, kLanes},

     {bcast, "binomial", "short vectors (up to 12 KiB), or fewer than 8 ranks", kMpichRules},
     {bcast, "scatter_doubling", "p = 2^k from 8 on, above 12 KiB and up to 512 KiB", kMpichRules},
     {bcast, "scatter_allgather",
      "8 ranks and more, above 512 KiB, or above 12 KiB for p other than 2^k", kMpichRules},
     {bcast, "pipeline", "large vectors", "MPICH, bcast_intra_pipelined_tree"},
     {bcast, "pipeline", "any size on 64 to 127 ranks, with --tree knomial", kOmpiRules},
     {bcast, "pipeline", "below 32 KiB, and on 2 ranks, with --tree knomial", kUccScores},
     {bcast, "sag_knomial", "from 32 KiB, on 3 ranks and more", kUccScores},
     {bcast, "bine", kFewGlobalLinks, kBine},
     {bcast, "bine_scatter_allgather", kFewGlobalLinks, kBine},
     {bcast, "hierarchical", kManyRanksOfNodes, kHan},
     {bcast, "multilane", kSeveralLanes, kLanes},

     {reduce, "binomial", "up to 2 KiB, user-defined operators, or fewer elements than p'",
      kMpichRules},
     {reduce, "binomial", "any size on 32 to 255 ranks", kOmpiRules},
     {reduce, "in_order_binary", "operators that do not commute, on 16 to 127 ranks", kOmpiRules},
     {reduce, "rabenseifner", "above 2 KiB", kThakur},
     {reduce, "rabenseifner", "root 0, because another root has more steps",
      "Open MPI, reduce_intra_redscat_gather"},
     {reduce, "reduce_scatter_gather",
      "above 2 KiB, with predefined operators and p' elements or more", kMpichRules},
     {reduce, "binary_blocks", "long vectors if p is not a power of two", kRabenseifner},
     {reduce, "pipeline", "below 32 KiB, with --tree knomial", kUccScores},
     {reduce, "srg_knomial", "from 32 KiB", kUccScores},
     {reduce, "bine", kFewGlobalLinks, kBine},
     {reduce, "bine_scatter_gather", kFewGlobalLinks, kBine},
     {reduce, "hierarchical", kManyRanksOfNodes, kHan},
     {reduce, "multilane", kSeveralLanes, kLanes},

     {reduce_scatter, "recursive_halving", "operators that commute, below 512 KiB", kMpichRules},
     {reduce_scatter, "pairwise", "operators that commute, from 512 KiB", kMpichRules},
     {reduce_scatter, "recursive_doubling",
      "operators that do not commute, unless p = 2^k and blocks are equal", kMpichRules},
     {reduce_scatter, "butterfly_mirrored",
      "operators that do not commute, with p = 2^k and equal blocks", kMpichRules},
     {reduce_scatter, "nonoverlapping", "operators that do not commute", kOmpiRules},
     {reduce_scatter, "butterfly", "from 512 bytes, on 128 to 255 ranks", kOmpiRules},
     {reduce_scatter, "ring", "any size", kUccScores},
     {reduce_scatter, "bine", kFewGlobalLinks, kBine},
     {reduce_scatter, "pat", kWhereRingsAreSlow, kPat},
     {reduce_scatter, "bucket", kTorus, kJain},

     {reduce_scatter_block, "recursive_halving", "operators that commute, below 512 KiB",
      kMpichRules},
     {reduce_scatter_block, "pairwise", "operators that commute, from 512 KiB", kMpichRules},
     {reduce_scatter_block, "recursive_doubling", "operators that do not commute, unless p = 2^k",
      kMpichRules},
     {reduce_scatter_block, "butterfly", "operators that do not commute, with p = 2^k",
      kMpichRules},
     {reduce_scatter_block, "bine", kFewGlobalLinks, kBine},
     {reduce_scatter_block, "pat", kWhereRingsAreSlow, kPat},
     {reduce_scatter_block, "bucket", kTorus, kJain},

     {allgather, "recursive_doubling", "p = 2^k, below 512 KiB", kMpichRules},
     {allgather, "bruck_mirrored", "p other than 2^k, below 80 KiB", kMpichRules},
     {allgather, "ring", "p = 2^k from 512 KiB, other p from 80 KiB", kMpichRules},
     {allgather, "ring", "odd p, from 4 KiB", kUccScores},
     {allgather, "neighbor_exchange", "even p, from 4 KiB", kUccScores},
     {allgather, "knomial", "below 4 KiB", kUccScores},
     {allgather, "direct", "small blocks between nodes, on few ranks",
      "Open MPI main, allgather_direct_messaging"},
     {allgather, "bine", kFewGlobalLinks, kBine},
     {allgather, "pat", kWhereRingsAreSlow, kPat},
     {allgather, "bucket", kTorus, kJain},
     {allgather, "hierarchical", kManyRanksOfNodes, kHan},

     {allgatherv, "recursive_doubling", "p = 2^k, below 512 KiB", kMpichRules},
     {allgatherv, "bruck_mirrored", "p other than 2^k, below 80 KiB", kMpichRules},
     {allgatherv, "ring", "p = 2^k from 512 KiB, other p from 80 KiB", kMpichRules},
     {allgatherv, "ring", "from 4 KiB", kUccScores},
     {allgatherv, "bine", kFewGlobalLinks, kBine},
     {allgatherv, "pat", kWhereRingsAreSlow, kPat},
     {allgatherv, "bucket", kTorus, kJain},

     {alltoall, "bruck", "blocks of up to 256 bytes on 8 ranks and more", kMpichRules},
     {alltoall, "scattered", "blocks of up to 32 KiB; on 8 ranks and more, only above 256 bytes",
      kMpichRules},
     {alltoall, "pairwise_exchange", "blocks above 32 KiB", kMpichRules},
     {alltoall, "pairwise_replace", "in-place calls", kMpichRules},
     {alltoall, "linear", "medium blocks, above 256 bytes", kThakur},
     {alltoall, "pairwise", "long blocks, above 32 KiB", kThakur},
     {alltoall, "bruck", "short blocks in host memory", kUccScores},

     {alltoallv, "sendrecv_replace", "in-place calls", kMpichRules},
     {alltoallv, "scattered", "any sizes", kMpichRules},
     {alltoallv, "linear", "4 to 63, 128 to 255, and 1024 ranks and more", kOmpiRules},
     {alltoallv, "pairwise", "2, 3, 64 to 127, and 256 to 1023 ranks", kOmpiRules},
     {alltoallv, "tuna", "small K for small blocks, large K for large ones",
      "Fan, Domke, Ba and Kumar, arXiv 2411.02581"},

     {gather, "binomial", "any size", kMpichRules},
     {gather, "binomial", "any size on 8 to 255 ranks", kOmpiRules},
     {gather, "bine", kFewGlobalLinks, kBine},
     {gather, "hierarchical", kManyRanksOfNodes, kHan},
     {gatherv, "linear", "only the root knows the sizes", "MPICH, gatherv_allcomm_linear"},
     {scatter, "binomial", "any size", kMpichRules},
     {scatter, "bine", kFewGlobalLinks, kBine},
     {scatter, "hierarchical", kManyRanksOfNodes, kHan},
     {scatterv, "linear", "any size", kMpichRules},

     {barrier, "linear", "4 to 7 ranks", kOmpiRules},
     {barrier, "recursive_doubling", "2, 3, and 8 to 63 ranks", kOmpiRules},
     {barrier, "dissemination", "64 to 255, 512 to 1023, and 4096 ranks and more", kOmpiRules},
     {barrier, "dissemination", "one rank on each node", kMpichRules},
     {barrier, "tree", "256 to 511, and 1024 to 4095 ranks", kOmpiRules},
     {barrier, "hierarchical", "several ranks on each node", kMpichRules},

     {scan, "recursive_doubling", "nodes whose ranks are not consecutive", kMpichRules},
     {exscan, "recursive_doubling", "any size", kMpichRules}});

}  // namespace

std::span<const Recommendation> all_recommendations() { return kAll; }

std::vector<Recommendation> recommendations_of(const Algorithm& algorithm) {
  std::vector<Recommendation> found;
  std::copy_if(kAll.begin(), kAll.end(), std::back_inserter(found),
               [&algorithm](const Recommendation& each) {
                 return each.collective == algorithm.collective && each.algorithm == algorithm.name;
               });
  return found;
}

}}  // namespace tutti::rule_files
