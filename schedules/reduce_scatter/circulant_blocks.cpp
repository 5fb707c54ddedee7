// Pipelined reduce-scatter on a circulant graph: the messages of Träff's all-broadcast, sent in
// reverse. The block of each rank is cut into S pieces, and a round-optimal reduction to that rank
// sums up the pieces. All reductions run at once. In each round, every rank sends one message to
// the rank that is one skip below it. The message has, for each block, at most one partial sum of a
// piece. The algorithm works for any p.
//
// This algorithm is for blocks of different sizes. No message has more than n/S bytes, where n is
// the size of the whole vector, so the time is at most (S - 1 + ceil(lg p))(alpha + n/S (beta +
// gamma)), except for elements that cannot be divided evenly. The circulant algorithm needs up to
// ceil(lg p) n (beta + gamma), if one rank owns everything.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
// All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004, which "Optimal, Non-pipelined
// Reduce-scatter and Allreduce Algorithms" recommends for irregular blocks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_pieces.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

// Over all rounds a rank sends and reduces the block of each other rank once. In each round all
// ranks send the same number of bytes.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double rounds =
      p == 1 ? 0 : static_cast<double>(circulant_pieces(problem)) - 1 + ceil_log2(problem.ranks);
  return rounds * prices.alpha_s + (p - 1) / p * static_cast<double>(problem.bytes) *
                                       (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  CirculantPieces pieces(p, builder.blocks() / p);
  const std::size_t messages = std::size_t{pieces.rounds()} * p;
  builder.reserve(2 * messages, 5 * messages);
  Rounds rounds(builder);
  for (std::uint32_t round = pieces.rounds(); round-- > 0;) {
    rounds.next();
    pieces.go_to(round);
    for (const Rank rank : builder.emitted_ranks()) {
      rounds.comm(rank, pieces.below(rank), pieces.received_by(rank), kWork, kScratch);
    }
    // A rank never reduces into a piece that it sends in the same round.
    for (const Rank rank : builder.emitted_ranks()) {
      rounds.reduce(rank, pieces.received_by(pieces.above(rank)), kScratch, kWork, Operand::right);
    }
  }
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::reduce_scatter,
    .name = "circulant_blocks",
    .idea =
        "round-optimal reductions of each rank's block, in S pieces, all at once; for blocks of "
        "unequal size",
    .source = "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004",
    .cost =
        "(S-1+q) alpha + (p-1)/p n (beta + gamma) for equal blocks, with q = ceil(lg p) and S "
        "pieces of $segment bytes per block (default: S = 1 for equal blocks, otherwise sqrt(n "
        "(q-1) / 2500))",
    .options = bit(Option::segment) | bit(Option::block_sizes),
    .refusal = refuse_circulant_pieces,
    .limits = kCirculantPipelineLimits,
    .layout = layout_in_circulant_pieces,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
};

}}}  // namespace tutti::schedules::reduce_scatter
