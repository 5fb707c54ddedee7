#include "schedules/patterns/segmented_tree.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 64 * 1024;
constexpr std::uint64_t kRadix = 4;  // of the k-nomial tree: Open MPI's, unless it is told another

// Relative children of relative rank r at `level`, in the order in which they are served.
std::vector<std::uint64_t> children(Tree tree, std::uint64_t r, std::uint32_t level,
                                    std::uint32_t p) {
  std::vector<std::uint64_t> found;
  switch (tree) {
    case Tree::chain:
      found = {r + 1};
      break;
    case Tree::binary: {
      const std::uint64_t width = std::uint64_t{1} << level;
      found = {r + width, r + 2 * width};
      break;
    }
    case Tree::doubling:
      for (std::uint64_t distance = r == 0 ? 1 : 2 * std::bit_floor(r); distance < p;
           distance *= 2) {
        found.push_back(r + distance);
      }
      break;
    case Tree::knomial: {
      std::uint64_t distance = 1;
      for (; distance < p && r % (distance * kRadix) == 0; distance *= kRadix) {
      }
      for (; distance > 1;) {
        distance /= kRadix;
        for (std::uint64_t k = 1; k < kRadix; ++k) {
          found.push_back(r + k * distance);
        }
      }
      break;
    }
    case Tree::binomial: {
      // Largest subtree first, as in the rounds of the binomial tree.
      const std::uint32_t free_bits =
          r == 0 ? ceil_log2(p) : static_cast<std::uint32_t>(std::countr_zero(r));
      for (std::uint32_t bit = free_bits; bit-- > 0;) {
        found.push_back(r + (std::uint64_t{1} << bit));
      }
      break;
    }
  }
  std::erase_if(found, [p](std::uint64_t child) { return child >= p; });
  return found;
}

}  // namespace

RootedTree rooted_tree(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  RootedTree tree;
  tree.edges.reserve(p);
  const auto rank = [&](std::uint64_t relative) {
    return static_cast<Rank>((relative + problem.root) % p);
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> queue{{0, 0}};  // relative rank, level
  queue.reserve(p);
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto [parent, level] = queue[at];
    std::uint32_t number = 0;
    for (const std::uint64_t child : children(problem.tree, parent, level, p)) {
      tree.edges.push_back({rank(parent), rank(child), level, number++});
      queue.emplace_back(child, level + 1);
      tree.levels = level + 1;
    }
    tree.fan_out = std::max(tree.fan_out, number);
  }
  TUTTI_INVARIANT(tree.edges.size() == p - 1);
  return tree;
}

std::uint64_t segment_elements_of(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi) {
    return open_mpi_segment_elements(problem);
  }
  return segment_elements(problem, kDefaultSegmentBytes);
}

BlockLayout segment_layout(const Problem& problem) {
  return BlockLayout::segmented(problem.elements(), segment_elements_of(problem),
                                problem.element_bytes);
}

std::optional<Sentence> refuse_pipeline(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return "MPICH has no pipeline with segments, so there is no cut of its own";
  }
  if (problem.segment_bytes > problem.bytes && problem.cuts == Cuts::even) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t segments = segment_count(problem.elements(), segment_elements_of(problem));
  // Reductions of several children share a level; their segment labels are told apart by fan-out.
  const std::uint64_t fan_out = problem.tree == Tree::chain     ? 1
                                : problem.tree == Tree::knomial ? 2 * ceil_log2(problem.ranks) + 3
                                                                : ceil_log2(problem.ranks) + 1;
  if (segments * fan_out > kMaxSegment) {
    return sentence(
        "segments of {} bytes cut the vector into {}, more than {}; take a larger "
        "--segment",
        segment_elements_of(problem) * problem.element_bytes, segments, kMaxSegment / fan_out);
  }
  return std::nullopt;
}

SegmentTimes::SegmentTimes(const Problem& problem, const Prices& prices) {
  const BlockLayout layout = segment_layout(problem);
  const auto bytes = static_cast<double>(layout.size_bytes(0));
  const auto last_bytes = static_cast<double>(layout.size_bytes(layout.blocks() - 1));
  count = layout.blocks();
  message_s = prices.alpha_s + bytes * prices.beta_s_per_byte;
  reduction_s = bytes * prices.gamma_s_per_byte;
  last_message_s = prices.alpha_s + last_bytes * prices.beta_s_per_byte;
  last_reduction_s = last_bytes * prices.gamma_s_per_byte;
}

}  // namespace tutti
