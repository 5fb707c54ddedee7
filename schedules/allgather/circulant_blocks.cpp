// Träff's all-broadcast on a circulant graph: the block of each rank is cut into S pieces, and a
// round-optimal broadcast from that rank distributes the pieces. All broadcasts run at once. In
// each round, all ranks use the same skip s: rank r sends rank r + s one message, with all pieces
// that the broadcasts send from r to r + s in this round. The algorithm works for any p.
//
// If blocks differ in size, cutting them into pieces makes the rounds equally long: a message has
// at most n/S bytes, where n is the size of the whole vector. With equal blocks, rounds are equally
// long anyway, so S = 1 is best.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004; MPICH 5
// (main), where the algorithm is called circ_graph,
// src/mpi/coll/allgather/allgather_intra_circ_graph.c.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_pieces.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

// Over all rounds a rank receives the block of each other rank once. In each round all ranks
// receive the same number of bytes.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double rounds =
      p == 1 ? 0 : static_cast<double>(circulant_pieces(problem)) - 1 + ceil_log2(problem.ranks);
  return rounds * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  CirculantPieces pieces(p, builder.blocks() / p);
  const std::size_t messages = std::size_t{pieces.rounds()} * p;
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  for (std::uint32_t round = 0; round < pieces.rounds(); ++round) {
    rounds.next();
    pieces.go_to(round);
    for (const Rank rank : builder.emitted_ranks()) {
      const Rank to = pieces.above(rank);
      rounds.comm(rank, to, pieces.received_by(to), kWork, kWork);
    }
  }
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::allgather,
    .name = "circulant_blocks",
    .idea = "round-optimal broadcasts of each rank's block, in S pieces, all at once",
    .source =
        "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004; MPICH 5 "
        "circ_graph",
    .cost =
        "(S-1+q) alpha + (p-1)/p n beta, with q = ceil(lg p) and S pieces of $segment bytes per "
        "block (default: S = 1)",
    .options = bit(Option::segment),
    .refusal = refuse_circulant_pieces,
    .limits = kCirculantPipelineLimits,
    .layout = layout_in_circulant_pieces,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
};

}}}  // namespace tutti::schedules::allgather
