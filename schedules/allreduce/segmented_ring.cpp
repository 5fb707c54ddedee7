// Segmented ring allreduce: every block is cut into S segments. The reduction goes around the ring
// once per segment, in S phases one after the other; then the distribution goes around once with
// whole blocks. As in Open MPI, the phases do not overlap.
//
// Source: Open MPI coll/base allreduce_intra_ring_segmented. Without --segment, segments have 1
// MiB, the size in Open MPI's fixed decisions. If no block is larger than a segment, this is the
// plain ring.
#include <algorithm>
#include <vector>

#include "base/plural.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/patterns/ring.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 1U << 20U;

// Number of phases in Open MPI: the number of whole segments in a block, plus one if the rest of
// the block is longer than half a segment. If a block is shorter than a segment, Open MPI runs the
// plain ring, which has one phase.
std::uint64_t open_mpi_phases(const Problem& problem) {
  const std::uint64_t count = problem.elements();
  const std::uint64_t round = problem.ranks * open_mpi_segment_elements(problem);
  if (count < round) {
    return 1;
  }
  const std::uint64_t left = count % round;
  return count / round + (left >= problem.ranks && left > round / 2 ? 1 : 0);
}

std::uint64_t segments(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi) {
    return open_mpi_phases(problem);
  }
  const std::uint64_t longest_block = (problem.elements() + problem.ranks - 1) / problem.ranks;
  return segment_count(longest_block, segment_elements(problem, kDefaultSegmentBytes));
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.elements() < problem.ranks) {
    return sentence(
        "{} on {} ranks; the ring gives every rank a block of its own, so it needs at "
        "least as many elements as ranks",
        number_of(problem.elements(), "element"), problem.ranks);
  }
  if (problem.cuts == Cuts::mpich) {
    return "$cuts mpich does not apply: MPICH has no segmented ring; leave $cuts out";
  }
  if (problem.segment_bytes > problem.bytes && problem.cuts == Cuts::even) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t phases = segments(problem);
  // Each step of each phase needs its own label level.
  const std::uint64_t most =
      std::min<std::uint64_t>(kMaxSegment, kMaxLevel / std::max(1U, problem.ranks - 1) - 1);
  if (phases > most) {
    return sentence(
        "segments of {} bytes cut each block into {} segments, more than {}; use a larger "
        "$segment",
        segment_elements(problem, kDefaultSegmentBytes) * problem.element_bytes, phases, most);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 4> kLimits{
    "fewer elements than ranks", "more segments than can be numbered",
    "a $segment larger than the vector, except with $cuts open_mpi", "$cuts mpich"};

// All blocks are cut in the same way, so that all messages of a phase have the same size, except
// those of the last phase. The last segment of a block is shorter if segments do not fill the
// block, and may be empty if the block is one element shorter than other blocks.
BlockLayout layout(const Problem& problem) {
  const std::uint64_t per_block = segments(problem);
  const std::uint64_t per_segment = segment_elements(problem, kDefaultSegmentBytes);
  const BlockLayout blocks = block_per_rank(problem);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(problem.ranks * per_block);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    std::uint64_t left = blocks.size_bytes(rank) / problem.element_bytes;
    if (problem.cuts == Cuts::open_mpi) {
      // The sizes of the segments of a block differ by at most one element.
      const BlockLayout even =
          BlockLayout::even(left, static_cast<std::uint32_t>(per_block), problem.element_bytes);
      for (std::uint32_t segment = 0; segment < per_block; ++segment) {
        sizes.push_back(even.size_bytes(segment) / problem.element_bytes);
      }
      continue;
    }
    for (std::uint64_t segment = 0; segment < per_block; ++segment) {
      sizes.push_back(std::min(left, per_segment));
      left -= sizes.back();
    }
  }
  return BlockLayout::irregular(sizes, problem.element_bytes);
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  const auto phases = static_cast<double>(segments(problem));
  return (phases + 1) * (p - 1) * prices.alpha_s + 2 * share * prices.beta_s_per_byte +
         share * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto phases = static_cast<std::uint32_t>(segments(problem));
  const std::size_t step_ops = std::size_t{p} * (p - 1);
  builder.reserve((2 * std::size_t{phases} + 1) * step_ops,
                  (5 * std::size_t{phases} + 3) * step_ops);
  Rounds rounds(builder);
  Ring ring(rounds, p, phases);
  for (std::uint32_t phase = 0; phase < phases; ++phase) {
    ring.reduce(0, phase, 1, phase);
  }
  ring.distribute(1 % p);
}

}  // namespace

extern const Algorithm segmented_ring{
    .collective = Collective::allreduce,
    .name = "segmented_ring",
    .idea = "the ring with blocks cut into S segments: one reduction round the ring per segment",
    .source = "Open MPI coll/base allreduce_intra_ring_segmented",
    .cost = "(S+1)(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma with S segments per block",
    .options = bit(Option::segment) | bit(Option::cuts),
    .refusal = refusal,
    .limits = kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds = true,
};

}}}  // namespace tutti::schedules::allreduce
