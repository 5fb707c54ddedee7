// Butterfly reduce-scatter without the exchange at the end, for operators that need not commute.
// Partners at distance 1, 2, ..., p'/2, where p' is the largest power of two up to p, do not
// exchange halves of the vector, but every second, fourth, ... block of it, so that virtual rank v
// ends with block v. The butterfly on blocks in mirrored order does the same. Here the blocks keep
// their places, and a message has every 2^k-th block. If p is not a power of two, each extra rank
// first gives its whole vector to a neighbour, and gets its block from that neighbour at the end.
//
// Source: Träff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application",
// EuroPVM/MPI 2005, whose rounds are used for any p. For powers of two and equal blocks also MPICH
// 4.0, src/mpi/coll/reduce_scatter/reduce_scatter_intra_noncommutative.c, and Open MPI 4.1,
// reduce_scatter_block_intra_butterfly_pof2 in coll/base; these permute a copy of the input.
#include <algorithm>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/fold_in.hpp"
#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

// No virtual rank finishes later than virtual rank 0, which waits for the fold and keeps the most
// blocks.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const HypercubeFold cube(problem.ranks, Fold::neighbours);
  const double folds = cube.extras() > 0 ? 1 : 0;
  double reduced = folds * problem.ranks;  // number of blocks reduced
  for (std::uint32_t kept = 2; kept <= cube.base_ranks(); kept *= 2) {
    const std::uint32_t blocks = cube.base_ranks() / kept + (cube.extras() + kept - 1) / kept;
    reduced += blocks;
  }
  const double block = static_cast<double>(problem.bytes) / problem.ranks;
  return (cube.dimensions() + 2 * folds) * prices.alpha_s +
         (reduced + folds) * block * prices.beta_s_per_byte +
         reduced * block * prices.gamma_s_per_byte;
}

// Lists the blocks of the virtual ranks that are v modulo `step`. A proxy also has the block of its
// extra rank.
void blocks_modulo(std::uint32_t v, std::uint32_t step, const HypercubeFold& cube,
                   std::vector<BlockPair>& blocks) {
  blocks.clear();
  for (std::uint32_t w = v % step; w < cube.base_ranks(); w += step) {
    if (w < cube.extras()) {
      blocks.push_back({cube.extra(w), cube.extra(w)});
    }
    blocks.push_back({cube.base(w), cube.base(w)});
  }
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const HypercubeFold cube(p, Fold::neighbours);
  const std::size_t exchanges = std::size_t{cube.base_ranks()} * cube.dimensions();
  builder.reserve(2 * exchanges + 3 * std::size_t{cube.extras()},
                  5 * exchanges + 8 * std::size_t{cube.extras()});
  Rounds rounds(builder);
  fold_in(rounds, cube, {0, p});
  std::vector<BlockPair> blocks;
  for (std::uint32_t distance = 1; distance < cube.base_ranks(); distance *= 2) {
    rounds.next();
    const std::uint32_t step = 2 * distance;
    const auto regular = [&](std::uint32_t v) { return BlockSet{v % step, p / step, 1, step}; };
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      const std::uint32_t partner = v ^ distance;
      if (cube.extras() == 0) {
        rounds.comm(v, partner, {regular(partner), kWork, kScratch});
      } else {
        blocks_modulo(partner, step, cube, blocks);
        rounds.comm(cube.base(v), cube.base(partner), blocks, kWork, kScratch);
      }
    }
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      const Operand side = (v & distance) != 0 ? Operand::left : Operand::right;
      if (cube.extras() == 0) {
        rounds.reduce(v, {regular(v), kScratch, kWork}, side);
      } else {
        blocks_modulo(v, step, cube, blocks);
        rounds.reduce(cube.base(v), blocks, kScratch, kWork, side);
      }
    }
  }
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      rounds.comm(cube.proxy(i), cube.extra(i), {{cube.extra(i), 1}, kWork, kWork});
    }
  }
}

// With a single dimension there is nothing to mirror.
std::string_view same_as(const Problem& problem) {
  return problem.ranks <= 3 ? "recursive_halving" : "";
}

}  // namespace

extern const Algorithm butterfly_mirrored{
    .collective = Collective::reduce_scatter,
    .name = "butterfly_mirrored",
    .idea =
        "partners at distance 1, 2, 4, ... exchange every second, fourth, ... block, so that each "
        "rank ends with its own",
    .source =
        "Träff, An Improved Algorithm for (Non-commutative) Reduce-Scatter, EuroPVM/MPI 2005; "
        "MPICH 4.0 reduce_scatter_intra_noncommutative",
    .cost =
        "lg p alpha + (p-1)/p n (beta + gamma) for p = p'; else, where S is the sum of ceil((p - "
        "p')/2^k) over 1 < 2^k <= p': (lg p' + 2) alpha + (p + p' + S)/p n beta + (p + p' - 1 + "
        "S)/p n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = always,
    .same_as = same_as,
};

}}}  // namespace tutti::schedules::reduce_scatter
