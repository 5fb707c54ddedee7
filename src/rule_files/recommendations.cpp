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

namespace tutti::inline rule_files {

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

constexpr std::array kAll{
    Recommendation{allreduce, "recursive_doubling",
                   "up to 8 bytes, user-defined operators, or fewer elements than p'", kMpichRules},
    Recommendation{allreduce, "recursive_doubling", "up to 2 KiB", kThakur},
    Recommendation{allreduce, "recursive_doubling", "below 256 KiB on 64 to 127 ranks", kOmpiRules},
    Recommendation{allreduce, "nonoverlapping", "below 2 KiB on 512 ranks and more", kOmpiRules},
    Recommendation{allreduce, "rabenseifner", "above 2 KiB", kThakur},
    Recommendation{allreduce, "rabenseifner", "from 256 KiB, on 64 to 127 ranks", kOmpiRules},
    Recommendation{allreduce, "reduce_scatter_allgather",
                   "above 8 bytes, with predefined operators and p' elements or more", kMpichRules},
    Recommendation{allreduce, "binary_blocks", "long vectors if p is not a power of two",
                   kRabenseifner},
    Recommendation{allreduce, "allgather_reduce", "small vectors between nodes",
                   "Open MPI, allreduce_intra_allgather_reduce"},
    Recommendation{allreduce, "knomial", "below 4 KiB", kUccScores},
    Recommendation{allreduce, "sra_knomial", "from 4 KiB", kUccScores},
    Recommendation{allreduce, "recursive_multiplying",
                   "with K chosen for the network, such as the number of network cards of a node",
                   "MPICH, allreduce_intra_recursive_multiplying"},
    Recommendation{allreduce, "double_tree", "many nodes, where a ring has too many steps",
                   "NVIDIA, on NCCL 2.4"},
    Recommendation{allreduce, "bine", kFewGlobalLinks, kBine},
    Recommendation{allreduce, "bine_doubling", kFewGlobalLinks, kBine},
    Recommendation{allreduce, "bucket", kTorus, kJain},
    Recommendation{allreduce, "hierarchical", kManyRanksOfNodes, kHan},
    Recommendation{allreduce, "multilane", kSeveralLanes, kLanes},

    Recommendation{bcast, "binomial", "short vectors (up to 12 KiB), or fewer than 8 ranks",
                   kMpichRules},
    Recommendation{bcast, "scatter_doubling", "p = 2^k from 8 on, above 12 KiB and up to 512 KiB",
                   kMpichRules},
    Recommendation{bcast, "scatter_allgather",
                   "8 ranks and more, above 512 KiB, or above 12 KiB for p other than 2^k",
                   kMpichRules},
    Recommendation{bcast, "pipeline", "large vectors", "MPICH, bcast_intra_pipelined_tree"},
    Recommendation{bcast, "pipeline", "any size on 64 to 127 ranks, with --tree knomial",
                   kOmpiRules},
    Recommendation{bcast, "pipeline", "below 32 KiB, and on 2 ranks, with --tree knomial",
                   kUccScores},
    Recommendation{bcast, "sag_knomial", "from 32 KiB, on 3 ranks and more", kUccScores},
    Recommendation{bcast, "bine", kFewGlobalLinks, kBine},
    Recommendation{bcast, "bine_scatter_allgather", kFewGlobalLinks, kBine},
    Recommendation{bcast, "hierarchical", kManyRanksOfNodes, kHan},
    Recommendation{bcast, "multilane", kSeveralLanes, kLanes},

    Recommendation{reduce, "binomial",
                   "up to 2 KiB, user-defined operators, or fewer elements than p'", kMpichRules},
    Recommendation{reduce, "binomial", "any size on 32 to 255 ranks", kOmpiRules},
    Recommendation{reduce, "in_order_binary", "operators that do not commute, on 16 to 127 ranks",
                   kOmpiRules},
    Recommendation{reduce, "rabenseifner", "above 2 KiB", kThakur},
    Recommendation{reduce, "rabenseifner", "root 0, because another root has more steps",
                   "Open MPI, reduce_intra_redscat_gather"},
    Recommendation{reduce, "reduce_scatter_gather",
                   "above 2 KiB, with predefined operators and p' elements or more", kMpichRules},
    Recommendation{reduce, "binary_blocks", "long vectors if p is not a power of two",
                   kRabenseifner},
    Recommendation{reduce, "pipeline", "below 32 KiB, with --tree knomial", kUccScores},
    Recommendation{reduce, "srg_knomial", "from 32 KiB", kUccScores},
    Recommendation{reduce, "bine", kFewGlobalLinks, kBine},
    Recommendation{reduce, "bine_scatter_gather", kFewGlobalLinks, kBine},
    Recommendation{reduce, "hierarchical", kManyRanksOfNodes, kHan},
    Recommendation{reduce, "multilane", kSeveralLanes, kLanes},

    Recommendation{reduce_scatter, "recursive_halving", "operators that commute, below 512 KiB",
                   kMpichRules},
    Recommendation{reduce_scatter, "pairwise", "operators that commute, from 512 KiB", kMpichRules},
    Recommendation{reduce_scatter, "recursive_doubling",
                   "operators that do not commute, unless p = 2^k and blocks are equal",
                   kMpichRules},
    Recommendation{reduce_scatter, "butterfly_mirrored",
                   "operators that do not commute, with p = 2^k and equal blocks", kMpichRules},
    Recommendation{reduce_scatter, "nonoverlapping", "operators that do not commute", kOmpiRules},
    Recommendation{reduce_scatter, "butterfly", "from 512 bytes, on 128 to 255 ranks", kOmpiRules},
    Recommendation{reduce_scatter, "ring", "any size", kUccScores},
    Recommendation{reduce_scatter, "bine", kFewGlobalLinks, kBine},
    Recommendation{reduce_scatter, "pat", kWhereRingsAreSlow, kPat},
    Recommendation{reduce_scatter, "bucket", kTorus, kJain},

    Recommendation{reduce_scatter_block, "recursive_halving",
                   "operators that commute, below 512 KiB", kMpichRules},
    Recommendation{reduce_scatter_block, "pairwise", "operators that commute, from 512 KiB",
                   kMpichRules},
    Recommendation{reduce_scatter_block, "recursive_doubling",
                   "operators that do not commute, unless p = 2^k", kMpichRules},
    Recommendation{reduce_scatter_block, "butterfly", "operators that do not commute, with p = 2^k",
                   kMpichRules},
    Recommendation{reduce_scatter_block, "bine", kFewGlobalLinks, kBine},
    Recommendation{reduce_scatter_block, "pat", kWhereRingsAreSlow, kPat},
    Recommendation{reduce_scatter_block, "bucket", kTorus, kJain},

    Recommendation{allgather, "recursive_doubling", "p = 2^k, below 512 KiB", kMpichRules},
    Recommendation{allgather, "bruck_mirrored", "p other than 2^k, below 80 KiB", kMpichRules},
    Recommendation{allgather, "ring", "p = 2^k from 512 KiB, other p from 80 KiB", kMpichRules},
    Recommendation{allgather, "ring", "odd p, from 4 KiB", kUccScores},
    Recommendation{allgather, "neighbor_exchange", "even p, from 4 KiB", kUccScores},
    Recommendation{allgather, "knomial", "below 4 KiB", kUccScores},
    Recommendation{allgather, "direct", "small blocks between nodes, on few ranks",
                   "Open MPI main, allgather_direct_messaging"},
    Recommendation{allgather, "bine", kFewGlobalLinks, kBine},
    Recommendation{allgather, "pat", kWhereRingsAreSlow, kPat},
    Recommendation{allgather, "bucket", kTorus, kJain},
    Recommendation{allgather, "hierarchical", kManyRanksOfNodes, kHan},

    Recommendation{allgatherv, "recursive_doubling", "p = 2^k, below 512 KiB", kMpichRules},
    Recommendation{allgatherv, "bruck_mirrored", "p other than 2^k, below 80 KiB", kMpichRules},
    Recommendation{allgatherv, "ring", "p = 2^k from 512 KiB, other p from 80 KiB", kMpichRules},
    Recommendation{allgatherv, "ring", "from 4 KiB", kUccScores},
    Recommendation{allgatherv, "bine", kFewGlobalLinks, kBine},
    Recommendation{allgatherv, "pat", kWhereRingsAreSlow, kPat},
    Recommendation{allgatherv, "bucket", kTorus, kJain},

    Recommendation{alltoall, "bruck", "blocks of up to 256 bytes on 8 ranks and more", kMpichRules},
    Recommendation{alltoall, "scattered",
                   "blocks of up to 32 KiB; on 8 ranks and more, only above 256 bytes",
                   kMpichRules},
    Recommendation{alltoall, "pairwise_exchange", "blocks above 32 KiB", kMpichRules},
    Recommendation{alltoall, "pairwise_replace", "in-place calls", kMpichRules},
    Recommendation{alltoall, "linear", "medium blocks, above 256 bytes", kThakur},
    Recommendation{alltoall, "pairwise", "long blocks, above 32 KiB", kThakur},
    Recommendation{alltoall, "bruck", "short blocks in host memory", kUccScores},

    Recommendation{alltoallv, "sendrecv_replace", "in-place calls", kMpichRules},
    Recommendation{alltoallv, "scattered", "any sizes", kMpichRules},
    Recommendation{alltoallv, "linear", "4 to 63, 128 to 255, and 1024 ranks and more", kOmpiRules},
    Recommendation{alltoallv, "pairwise", "2, 3, 64 to 127, and 256 to 1023 ranks", kOmpiRules},
    Recommendation{alltoallv, "tuna", "small K for small blocks, large K for large ones",
                   "Fan, Domke, Ba and Kumar, arXiv 2411.02581"},

    Recommendation{gather, "binomial", "any size", kMpichRules},
    Recommendation{gather, "binomial", "any size on 8 to 255 ranks", kOmpiRules},
    Recommendation{gather, "bine", kFewGlobalLinks, kBine},
    Recommendation{gather, "hierarchical", kManyRanksOfNodes, kHan},
    Recommendation{gatherv, "linear", "only the root knows the sizes",
                   "MPICH, gatherv_allcomm_linear"},
    Recommendation{scatter, "binomial", "any size", kMpichRules},
    Recommendation{scatter, "bine", kFewGlobalLinks, kBine},
    Recommendation{scatter, "hierarchical", kManyRanksOfNodes, kHan},
    Recommendation{scatterv, "linear", "any size", kMpichRules},

    Recommendation{barrier, "linear", "4 to 7 ranks", kOmpiRules},
    Recommendation{barrier, "recursive_doubling", "2, 3, and 8 to 63 ranks", kOmpiRules},
    Recommendation{barrier, "dissemination", "64 to 255, 512 to 1023, and 4096 ranks and more",
                   kOmpiRules},
    Recommendation{barrier, "dissemination", "one rank on each node", kMpichRules},
    Recommendation{barrier, "tree", "256 to 511, and 1024 to 4095 ranks", kOmpiRules},
    Recommendation{barrier, "hierarchical", "several ranks on each node", kMpichRules},

    Recommendation{scan, "recursive_doubling", "nodes whose ranks are not consecutive",
                   kMpichRules},
    Recommendation{exscan, "recursive_doubling", "any size", kMpichRules},
};

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

}  // namespace tutti::inline rule_files
