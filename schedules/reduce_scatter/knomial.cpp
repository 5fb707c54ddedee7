// Recursive k-nomial reduce-scatter. Let K^m be the largest power of K (--radix) up to p, and c =
// floor(p / K^m). The algorithm numbers c K^m of the p ranks in base K; the highest digit is less
// than c. The ranks that differ in the highest digit send each other the blocks of all ranks that
// have the receiver's digit, all at once, and combine them. Then the ranks that differ in the next
// lower digit do the same, and so on. Each of the remaining ranks (fewer than K^m) first gives its
// vector to the rank before it, and gets its block from that rank at the end.
//
// Source: UCC, src/components/tl/ucp/reduce_scatter/reduce_scatter_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_REDUCE_SCATTER), where the default is K = 4.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

using Shape = DigitReduceScatter<kRadix4, KaryHypercube::Extras::after_proxy>;

// Far ranks are combined before near ones, unless there is only one digit.
bool keeps_order(const Problem& problem) { return Shape::cube_of(problem).digits() <= 1; }

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K (the last digit may have a smaller base) "
            "exchange and combine the parts that the others keep",
    .source = "UCC tl/ucp reduce_scatter_knomial",
    .cost = "(m (K - 1) + c - 1) alpha + (p-1)/p n (beta + gamma) for p = c K^m, c < K",
    .keeps_order = keeps_order,
    .order_kept = "p < 2 K",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::reduce_scatter
