// Scatter-allgather broadcast (van de Geijn): the root scatters the vector over the binomial tree,
// then a ring allgather passes the blocks around. Ranks and blocks are numbered relative to the
// root.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (long messages). With --cuts, the
// vector is cut as in MPICH 4.0, src/mpi/coll/bcast/bcast_intra_scatter_ring_allgather.c and
// bcast_utils.c, or as in Open MPI 4.1, ompi/mca/coll/base/coll_base_bcast.c
// (bcast_intra_scatter_allgather_ring). The ring carries empty blocks, too.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/scattered_vector.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return (ceil_log2(problem.ranks) + p - 1) * prices.alpha_s + 2 * share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const VectorScatter scatter(problem, builder.layout());
  builder.reserve(scatter.messages() + std::size_t{p} * (p - 1), 4 * std::size_t{p} * p);
  Rounds rounds(builder);
  scatter.emit(rounds);
  for (std::uint32_t step = 0; step + 1 < p; ++step) {
    rounds.next();
    for (std::uint32_t relative = 0; relative < p; ++relative) {
      rounds.comm(scatter.tree().rank(relative), scatter.tree().rank((relative + 1) % p),
                  {{(relative + p - step) % p, 1}, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm scatter_allgather{
    .collective = Collective::bcast,
    .name = "scatter_allgather",
    .idea = "scatter over the binomial tree, then allgather round the ring",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(ceil(lg p) + p - 1) alpha + 2(p-1)/p n beta",
    .options = bit(Option::cuts),
    .refusal = refuse_scattered,
    .limits = kScatteredLimits,
    .layout = scattered_blocks,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = sends_all,
};

}}}  // namespace tutti::schedules::bcast
