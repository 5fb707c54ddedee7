// Recursive exchange allgather, far ranks first. Let K^m be the largest power of K (--radix, 2 by
// default) up to p. The algorithm numbers K^m of the p ranks in base K. The ranks that differ in
// the highest digit exchange what they have, then those that differ in the next lower digit, and so
// on, K - 1 messages in each direction at once. The long messages thus go to near ranks. Each block
// first moves to the rank with the mirrored number, so that the blocks of a rank stay contiguous.
// The other ranks first give their blocks to a proxy, which acts for up to K - 1 ranks just before
// it, and get all blocks from the proxy at the end.
//
// Source: MPICH 4.1, src/mpi/coll/allgather/allgather_intra_recexch.c (recexch_halving); in 4.0 the
// non-blocking iallgather_tsp_recexch.c. After Sack and Gropp, "Faster topology-aware collective
// algorithms through non-minimal communication", PPoPP 2012.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

using Shape = DigitShape<kRadix2, KaryHypercube::Extras::before_proxy,
                         emit_mirrored_digit_allgather, digit_allgather_s, nullptr>;

// Adds the time in which the blocks move to the ranks with the mirrored numbers. Among the ranks
// that differ only in the highest digit, at most one keeps its block in this step, and it has to
// wait for the others.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const std::optional<double> exchanges_s = Shape::exact_s(problem, prices);
  if (!exchanges_s || Shape::cube_of(problem).digits() <= 1) {
    return exchanges_s;
  }
  return *exchanges_s + prices.alpha_s +
         static_cast<double>(problem.bytes) / problem.ranks * prices.beta_s_per_byte;
}

std::string_view same_as(const Problem& problem) {
  return Shape::cube_of(problem).digits() <= 1 ? "recursive_exchange" : "";
}

}  // namespace

extern constinit const Algorithm recursive_exchange_halving = Shape::algorithm({
    .collective = Collective::allgather,
    .name = "recursive_exchange_halving",
    .idea = "blocks are permuted, then ranks that differ in one digit of base K exchange all they "
            "have, far ones first",
    .source = "MPICH 4.1 allgather_intra_recexch, distance halving",
    .cost = "(m (K - 1) + 1) alpha + n beta for p = K^m, m > 1",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::allgather
