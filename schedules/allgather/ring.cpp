// Ring allgather: in step k rank r forwards block r-k to rank r+1, both modulo p.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
#include "schedules/patterns/ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t step_ops = std::size_t{p} * (p - 1);
  builder.reserve(step_ops, 3 * step_ops);
  Rounds rounds(builder);
  Ring(rounds, p).distribute(0);
}

}  // namespace

extern const Algorithm ring{
    .collective = Collective::allgather,
    .name = "ring",
    .idea = "each block travels once around the ring",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
