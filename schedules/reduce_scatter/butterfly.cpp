// Butterfly reduce-scatter, for operators that need not commute: partners at distance 1, 2, ...,
// p'/2, where p' is the largest power of two up to p, exchange halves of their blocks. Each rank
// receives the half that it keeps. A rank always holds sums of its group of consecutive ranks, so
// the order of ranks is kept. But since near partners exchange first, virtual rank v has the block
// of another rank at the end, namely of the virtual rank whose number is v with its bits mirrored.
// These two ranks then exchange their blocks. If p is not a power of two, each extra rank first
// gives its whole vector to a neighbour, and gets its block at the end from the rank that has the
// block.
//
// Source: Träff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application",
// EuroPVM/MPI 2005; Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter.c,
// reduce_scatter_intra_butterfly. Open MPI sends empty messages here, too.
#include <algorithm>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/fold_in.hpp"
#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

// The virtual ranks and their blocks. A proxy has its extra rank's block before its own.
class Butterfly {
 public:
  explicit Butterfly(std::uint32_t p) : cube_(p, Fold::neighbours) {}

  [[nodiscard]] const HypercubeFold& cube() const { return cube_; }
  [[nodiscard]] std::uint32_t mirror(std::uint32_t v) const {
    return mirrored(v, cube_.dimensions());
  }
  // Number of virtual ranks that have the block of another virtual rank after the exchanges: those
  // whose number changes if its bits are mirrored.
  [[nodiscard]] std::uint32_t displaced() const {
    return cube_.base_ranks() - (1U << (cube_.dimensions() + 1) / 2);
  }

  // The blocks of `count` virtual ranks from v on.
  [[nodiscard]] BlockSet blocks(std::uint32_t v, std::uint32_t count) const {
    return {first_block(v), first_block(v + count) - first_block(v)};
  }
  // The blocks that v keeps after the exchange over `distance`.
  [[nodiscard]] BlockSet kept(std::uint32_t v, std::uint32_t distance) const {
    const std::uint32_t count = cube_.base_ranks() / (2 * distance);
    return blocks(mirror(v) / count * count, count);
  }

 private:
  [[nodiscard]] std::uint32_t first_block(std::uint32_t v) const {
    return v + std::min(v, cube_.extras());
  }

  HypercubeFold cube_;
};

// No virtual rank finishes later than virtual rank 0, which waits for the fold and keeps the most
// blocks. At the end, virtual rank p'/2 still sends an extra rank's block and another virtual
// rank's block.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const Butterfly butterfly(problem.ranks);
  const HypercubeFold& cube = butterfly.cube();
  double messages = 0;
  double sent = 0;     // number of blocks sent
  double reduced = 0;  // number of blocks reduced
  if (cube.extras() > 0) {
    messages = 1;
    sent = reduced = problem.ranks;
  }
  for (std::uint32_t distance = 1; distance < cube.base_ranks(); distance *= 2) {
    ++messages;
    sent += butterfly.kept(0, distance).count;
    reduced += butterfly.kept(0, distance).count;
  }
  const double last = butterfly.displaced() == 0 ? std::min(cube.extras(), 1U)
                      : cube.extras() > 1        ? 2
                                                 : 1;
  const double block = static_cast<double>(problem.bytes) / problem.ranks;
  return (messages + last) * prices.alpha_s + (sent + last) * block * prices.beta_s_per_byte +
         reduced * block * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const Butterfly butterfly(p);
  const HypercubeFold& cube = butterfly.cube();
  const std::size_t exchanges = std::size_t{cube.base_ranks()} * cube.dimensions();
  const std::size_t displaced = butterfly.displaced();
  builder.reserve(2 * exchanges + 3 * std::size_t{cube.extras()} + displaced,
                  5 * exchanges + 8 * std::size_t{cube.extras()} + 4 * displaced);
  Rounds rounds(builder);
  fold_in(rounds, cube, {0, p});
  for (std::uint32_t distance = 1; distance < cube.base_ranks(); distance *= 2) {
    rounds.next();
    for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
      const std::uint32_t partner = v ^ distance;
      rounds.comm(cube.base(v), cube.base(partner),
                  {butterfly.kept(partner, distance), kWork, kScratch});
    }
    for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
      rounds.reduce(cube.base(v), {butterfly.kept(v, distance), kScratch, kWork},
                    (v & distance) != 0 ? Operand::left : Operand::right);
    }
  }
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      rounds.comm(cube.base(butterfly.mirror(i)), cube.extra(i),
                  {{cube.extra(i), 1}, kWork, kWork});
    }
  }
  if (displaced > 0) {
    rounds.next();
    for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
      if (const std::uint32_t owner = butterfly.mirror(v); owner != v) {
        rounds.comm(cube.base(v), cube.base(owner), {{cube.base(owner), 1}, kWork, kWork});
      }
    }
  }
}

// With a single dimension there is nothing to mirror.
std::string_view same_as(const Problem& problem) {
  return problem.ranks <= 3 ? "recursive_halving" : "";
}

}  // namespace

extern const Algorithm butterfly{
    .collective = Collective::reduce_scatter,
    .name = "butterfly",
    .idea =
        "partners at distance 1, 2, 4, ... send each other the half of their blocks that the "
        "receiver keeps; blocks end up at mirrored ranks, which then exchange them",
    .source =
        "Träff, An Improved Algorithm for (Non-commutative) Reduce-Scatter, EuroPVM/MPI 2005; "
        "Open MPI coll/base reduce_scatter_intra_butterfly",
    .cost =
        "(lg p + 1) alpha + n beta + (p-1)/p n gamma for p = p' > 2; for p - p' > 1, where S is "
        "the sum of min(p - p', 2^k) over 2^k < p': (lg p' + 3) alpha + (p + p' + 1 + S)/p n beta "
        "+ (p + p' - 1 + S)/p n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
    .same_as = same_as,
};

}}}  // namespace tutti::schedules::reduce_scatter
