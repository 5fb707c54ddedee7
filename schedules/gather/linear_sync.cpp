// Linear gather with signs: the root asks one rank after the other for its block, by a sign, which
// is an empty message. The root asks the next rank as soon as the first segment of the block
// (--segment) has arrived; the rest of the block may still be under way. So ranks never send all at
// once. Without --segment the whole block is the first segment, and the rest is empty, but sent all
// the same.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_gather.c, gather_intra_linear_sync. Open MPI's
// own decisions do not set a segment.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segments.hpp"
#include "schedules/patterns/signs.hpp"

namespace tutti { inline namespace schedules { namespace gather {

namespace {

// Number of blocks of each rank: first segment, rest, sign (see signs.hpp).
constexpr std::uint32_t kWidth = 3;

// Returns the number of elements in the first segment of a block. Shorter blocks have no rest.
std::uint64_t first_elements(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi) {
    // Open MPI computes the segment as if a single block were the whole vector.
    Problem block = problem;
    block.bytes = problem.elements() / problem.ranks * problem.element_bytes;
    return open_mpi_segment_elements(block);
  }
  return segment_elements(problem, std::max<std::uint64_t>(problem.bytes, 1));
}

BlockLayout layout(const Problem& problem) {
  const std::uint64_t first = first_elements(problem);
  return blocks_with_signs(problem, &first);
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return "$cuts mpich does not apply: MPICH has no gather with ready signals; leave $cuts out";
  }
  return std::nullopt;
}
constexpr std::array<std::string_view, 1> kLimits{"$cuts mpich"};

// The next rank is asked while the rest of a block is still arriving.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  const double block_s = static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte;
  return prices.alpha_s + (p - 1) * (2 * prices.alpha_s + block_s);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const Rank root = problem.root;
  builder.reserve(std::size_t{3} * (p - 1), p == 1 ? 0 : std::size_t{3} * (p - 1) - 1);
  OpId acknowledged = kNoOp;
  std::uint32_t level = 0;
  for (Rank rank = 0; rank < p; ++rank) {
    if (rank == root) {
      continue;
    }
    const OpId request = builder.comm(
        {level++}, root, rank, {{kWidth * root + 2, 1}, kWork, kScratch}, std::array{acknowledged});
    acknowledged =
        builder.comm({level}, rank, root, {{kWidth * rank, 1}, kWork, kWork}, std::array{request});
    builder.comm({level++, 1}, rank, root, {{kWidth * rank + 1, 2}, kWork, kWork},
                 std::array{acknowledged});
  }
}

}  // namespace

extern const Algorithm linear_sync{
    .collective = Collective::gather,
    .name = "linear_sync",
    .idea =
        "the root asks each rank in turn for its block, which arrives as a first segment and a "
        "rest",
    .source = "Open MPI coll/base gather_intra_linear_sync",
    .cost = "alpha + (p-1)(2 alpha + n/p beta)",
    .options = bit(Option::segment) | bit(Option::cuts),
    .refusal = refusal,
    .limits = kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::gather
