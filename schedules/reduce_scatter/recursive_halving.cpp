// Recursive halving reduce-scatter: partners at distance p'/2, p'/4, ..., 1, where p' is the
// largest power of two up to p, exchange halves of their blocks. Each rank receives the half that
// it keeps. If p is not a power of two, each extra rank first gives its whole vector to a
// neighbour, and gets its block from that neighbour at the end.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; the fold is MPICH's. Operators must
// commute, because the first exchange combines ranks that are not neighbours.
//
// Libraries send no empty messages here: MPICH 4.0,
// src/mpi/coll/reduce_scatter/reduce_scatter_intra_recursive_halving.c; Open MPI 4.1,
// ompi/mca/coll/base/coll_base_reduce_scatter.c.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/empty_messages.hpp"
#include "schedules/patterns/fold_in.hpp"
#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  if (problem.ranks != power_of_two_below(problem.ranks) || !problem.block_bytes.empty()) {
    return std::nullopt;  // the halves may differ in size
  }
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return floor_log2(problem.ranks) * prices.alpha_s +
         share * (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) { return power_of_two_below(problem.ranks) <= 2; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const HypercubeFold cube(p, Fold::neighbours);
  const std::size_t exchanges = std::size_t{cube.base_ranks()} * cube.dimensions();
  builder.reserve(2 * exchanges + 3 * std::size_t{cube.extras()},
                  5 * exchanges + 8 * std::size_t{cube.extras()});
  // The first block of virtual rank v; a proxy has its extra rank's block before its own.
  const auto first_block = [&](std::uint32_t v) {
    return v < cube.extras() ? 2 * v : v + cube.extras();
  };
  const auto sent = [&](const BlockSet& blocks) {
    return is_sent(problem, builder.layout(), blocks);
  };
  Rounds rounds(builder);
  fold_in(rounds, cube, {0, p});
  for (std::uint32_t distance = cube.base_ranks() / 2; distance > 0; distance /= 2) {
    rounds.next();
    // Returns the blocks that virtual rank v keeps in the exchange over `distance`.
    const auto kept = [&](std::uint32_t v) {
      const std::uint32_t first = v / distance * distance;
      return BlockSet{first_block(first), first_block(first + distance) - first_block(first)};
    };
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      if (sent(kept(v ^ distance))) {
        rounds.comm(cube.base(v), cube.base(v ^ distance), {kept(v ^ distance), kWork, kScratch});
      }
    }
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      if (!sent(kept(v))) {
        continue;
      }
      rounds.reduce(cube.base(v), {kept(v), kScratch, kWork},
                    (v & distance) != 0 ? Operand::left : Operand::right);
    }
  }
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      const BlockSet own{cube.extra(i), 1};
      if (sent(own)) {
        rounds.comm(cube.proxy(i), cube.extra(i), {own, kWork, kWork});
      }
    }
  }
}

}  // namespace

extern const Algorithm recursive_halving{
    .collective = Collective::reduce_scatter,
    .name = "recursive_halving",
    .idea =
        "partners at distance p/2, p/4, ... send each other the half of their blocks that the "
        "receiver keeps",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "lg p alpha + (p-1)/p n (beta + gamma) for p = p'",
    .keeps_order = keeps_order,
    .order_kept = "p <= 3",
    .options = bit(Option::block_sizes) | bit(Option::cuts),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = sends_all,
};

}}}  // namespace tutti::schedules::reduce_scatter
