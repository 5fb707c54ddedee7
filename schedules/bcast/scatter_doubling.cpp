// Scatter-allgather broadcast with recursive doubling: the root scatters the vector over the
// binomial tree, then partners at distance 1, 2, 4, ... exchange all blocks that they have. Ranks
// and blocks are numbered relative to the root.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (medium messages); MPICH 4.0,
// src/mpi/coll/bcast/bcast_intra_scatter_recursive_doubling_allgather.c and bcast_utils.c; Open MPI
// 4.1, ompi/mca/coll/base/coll_base_bcast.c (bcast_intra_scatter_allgather). Empty blocks are
// exchanged, too.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/doubling_allgather.hpp"
#include "schedules/patterns/scattered_vector.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks)) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * floor_log2(problem.ranks) * prices.alpha_s + 2 * share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const VectorScatter scatter(problem, builder.layout());
  const std::size_t messages = scatter.messages() + DoublingAllgather::messages(p);
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  scatter.emit(rounds);
  DoublingAllgather(rounds, scatter.tree(), p).emit();
}

}  // namespace

extern const Algorithm scatter_doubling{
    .collective = Collective::bcast,
    .name = "scatter_doubling",
    .idea = "scatter over the binomial tree, then allgather by recursive doubling",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; MPICH 4.0 and Open MPI 4.1",
    .cost = "2 lg p alpha + 2(p-1)/p n beta for p = p'",
    .options = bit(Option::cuts),
    .refusal = refuse_scattered,
    .limits = kScatteredLimits,
    .layout = scattered_blocks,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = sends_all,
};

}}}  // namespace tutti::schedules::bcast
