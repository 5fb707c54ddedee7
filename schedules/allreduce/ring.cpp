// Ring allreduce: p-1 steps reduce each block once around the ring, and p-1 more distribute the
// results. In step k of the first phase, rank r sends block r-k, receives block r-k-1, and combines
// it with its own contribution (block numbers are modulo p). After the first phase, rank r holds
// the complete block r+1. In step k of the second phase, it forwards block r+1-k.
//
// Source: Open MPI, ompi_coll_base_allreduce_intra_ring, whose comment shows the table for 5 ranks
// that the tests check; Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", JPDC 69(2), 2009.
#include "schedules/patterns/ring.hpp"

#include "base/plural.hpp"
#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.elements() < problem.ranks) {
    return sentence(
        "{} on {} ranks; the ring gives every rank a block of its own, so it needs at "
        "least as many elements as ranks",
        number_of(problem.elements(), "element"), problem.ranks);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 1> kLimits{"fewer elements than ranks"};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * (p - 1) * prices.alpha_s + 2 * share * prices.beta_s_per_byte +
         share * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t step_ops = std::size_t{p} * (p - 1);
  builder.reserve(3 * step_ops, 8 * step_ops);
  Rounds rounds(builder);
  Ring ring(rounds, p);
  ring.reduce(0, 0, 1);
  ring.distribute(1 % p);
}

}  // namespace

extern const Algorithm ring{
    .collective = Collective::allreduce,
    .name = "ring",
    .idea = "each block is reduced once around the ring, then its result travels round once more",
    .source = "Open MPI coll/base allreduce_intra_ring; Patarasuk and Yuan, JPDC 69(2), 2009",
    .cost = "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .refusal = refusal,
    .limits = kLimits,
    .remark = "Open MPI's comment counts 2p-1 steps, one too many; there are 2(p-1)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
