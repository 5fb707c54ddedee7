// Träff's all-broadcast of blocks of any sizes. All blocks are cut into the same number of pieces,
// so that all rounds take equally long, however the sizes are distributed. By default, each block
// is cut into as many pieces as bcast/circulant_blocks would cut the whole vector into.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004; MPICH 5
// (main), where the algorithm is called circ_graph,
// src/mpi/coll/allgather/allgather_intra_circ_graph.c.
#include "schedules/patterns/as_in.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm circulant_blocks;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm circulant_blocks = AsIn<allgather::circulant_blocks>::algorithm({
    .collective = Collective::allgatherv,
    .name = "circulant_blocks",
    .idea = "round-optimal broadcasts of each rank's block, in S pieces, all at once",
    .source = "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004; MPICH 5 "
              "circ_graph",
    .cost = "(S-1+q) alpha + (p-1)/p n beta for equal blocks, with q = ceil(lg p) and S pieces of "
            "$segment bytes per block (default: S = 1 for equal blocks, otherwise sqrt(n (q-1) / "
            "2500))",
    .options = bit(Option::segment) | bit(Option::block_sizes),
    .limits = kCirculantPipelineLimits,
    .symmetry = AsIn<allgather::circulant_blocks>::symmetry,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
