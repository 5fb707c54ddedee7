// Träff's all-broadcast on a circulant graph: every rank's block goes, in S pieces, over the
// round-optimal broadcast with that rank as its root, all of them at once. In every round all ranks
// send to the rank one skip on what each of the broadcasts has for it. For any p.
//
// Pieces make the rounds alike where the blocks are not: each has at most n/S bytes, whoever they
// come from. Blocks of one size are alike as they are, and S = 1 is best.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004;
// MPICH 5 (main) has it as circ_graph, src/mpi/coll/allgather/allgather_intra_circ_graph.c.
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti::allgather {

namespace {

std::uint64_t pieces(const Problem& problem) {
  if (problem.segment_bytes == 0) {
    return problem.block_bytes.empty() ? 1 : circulant_pipeline_blocks(problem, problem.elements());
  }
  const BlockLayout blocks = block_per_rank(problem);
  std::uint64_t longest = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    longest = std::max(longest, blocks.size_bytes(rank) / problem.element_bytes);
  }
  return segment_count(longest, segment_elements(problem, 0));
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.segment_bytes > problem.bytes) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t most = kMaxSegment / problem.ranks;
  if (const std::uint64_t count = pieces(problem); count > most) {
    return sentence(
        "segments of {} bytes cut the blocks into {}, more than {}; take a larger --segment",
        problem.segment_bytes, count, most);
  }
  return std::nullopt;
}

BlockLayout layout(const Problem& problem) {
  return layout_in_parts(problem, static_cast<std::uint32_t>(pieces(problem)));
}

// Over all rounds a rank gets each block of the others once, in equal shares with all other ranks.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double rounds =
      p == 1 ? 0 : static_cast<double>(pieces(problem)) - 1 + ceil_log2(problem.ranks);
  return rounds * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

struct Piece {
  std::uint32_t distance;  // of the receiver from the root
  std::uint32_t number;
};

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t count = builder.blocks() / p;
  const CirculantPipeline pipeline(p, count);
  const std::size_t messages = std::size_t{pipeline.rounds()} * p;
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  std::vector<Piece> pieces;
  std::vector<BlockPair> pairs;
  for (std::uint32_t round = 0; round < pipeline.rounds(); ++round) {
    rounds.next();
    pieces.clear();
    for (std::uint32_t distance = p - 1; distance > 0; --distance) {
      if (const auto piece = pipeline.received(round, distance)) {
        pieces.push_back({distance, *piece});
      }
    }
    const std::uint32_t skip = pipeline.skip(round);
    for (const Rank rank : builder.emitted_ranks()) {
      const Rank to = rank + skip < p ? rank + skip : rank + skip - p;
      pairs.resize(pieces.size());
      std::transform(pieces.begin(), pieces.end(), pairs.begin(), [=](const Piece& piece) {
        const Rank root = to - piece.distance + (to >= piece.distance ? 0 : p);
        const std::uint32_t block = root * count + piece.number;
        return BlockPair{block, block};
      });
      rounds.comm(rank, to, pairs, kWork, kWork);
    }
  }
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::allgather,
    .name = "circulant_blocks",
    .idea =
        "each rank's block, in S pieces, over the round-optimal broadcast from that rank, all "
        "at once",
    .source =
        "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004; MPICH 5 "
        "circ_graph",
    .cost =
        "(S-1+q) alpha + (p-1)/p n beta, q = ceil(lg p), S pieces of --segment bytes to a "
        "block, or 1",
    .keeps_order = nullptr,
    .options = static_cast<unsigned>(Option::segment),
    .refusal = refusal,
    .limits = kCirculantPipelineLimits,
    .layout = layout,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
};

}  // namespace tutti::allgather
