// Broadcasts that first scatter the vector over the binomial tree, one block per rank, and then
// reassemble it at every rank. The functions here cut the vector and scatter it. Blocks are
// numbered relative to the root.
#pragma once

#include <array>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/empty_messages.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

// Cuts the vector. Libraries make all blocks as long as the longest block of an even split, except
// the last ones, which are shorter or empty: Open MPI in whole elements, MPICH in bytes.
[[nodiscard]] inline BlockLayout scattered_blocks(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  switch (problem.cuts) {
    case Cuts::even:
      break;
    case Cuts::open_mpi:
      return BlockLayout::rounded_up(problem.elements(), p, problem.element_bytes);
    case Cuts::mpich: {
      // If a block ends inside an element, the layout counts single bytes.
      const bool whole = (problem.bytes + p - 1) / p % problem.element_bytes == 0;
      return whole ? BlockLayout::rounded_up(problem.elements(), p, problem.element_bytes)
                   : BlockLayout::rounded_up(problem.bytes, p, 1);
    }
  }
  return block_per_rank(problem);
}

// Implements Algorithm::refusal.
[[nodiscard]] inline std::optional<Sentence> refuse_scattered(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi && problem.elements() < problem.ranks) {
    return "with fewer elements than ranks, Open MPI runs bcast/linear";
  }
  return std::nullopt;
}

inline constexpr std::array<std::string_view, 1> kScatteredLimits{
    "fewer elements than ranks with $cuts open_mpi"};

// Returns the reason why `algorithm` cannot be part of a collective that needs whole elements:
// MPICH's broadcasts may cut inside an element.
[[nodiscard]] inline std::optional<Sentence> refuse_cut_elements(const Algorithm& algorithm,
                                                                 const Problem& problem) {
  if (problem.cuts != Cuts::mpich ||
      algorithm.layout(problem).element_bytes() == problem.element_bytes) {
    return std::nullopt;
  }
  return sentence(
      "$cuts mpich would split elements: {} bytes in {}-byte elements; use other $cuts, or a "
      "multiple of {} bytes",
      problem.bytes, problem.element_bytes, std::uint64_t{problem.ranks} * problem.element_bytes);
}

class VectorScatter {
 public:
  VectorScatter(const Problem& problem, const BlockLayout& layout)
      : problem_(problem), layout_(layout), tree_(problem.ranks, problem.root) {}

  [[nodiscard]] const BinomialTree& tree() const { return tree_; }

  [[nodiscard]] std::size_t messages() const {
    std::size_t sum = 0;
    for_each_message([&](Rank, Rank, const BlockSet&) { ++sum; }, [] {});
    return sum;
  }

  void emit(Rounds& rounds) const {
    for_each_message(
        [&](Rank parent, Rank child, const BlockSet& blocks) {
          rounds.comm(parent, child, {blocks, kWork, kWork});
        },
        [&] { rounds.next(); });
  }

 private:
  template <typename Visit, typename Next>
  void for_each_message(Visit&& visit, Next&& next) const {
    for (std::uint32_t bit = tree_.levels(); bit-- > 0;) {
      next();
      tree_.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t relative) {
        const BlockSet blocks{relative, tree_.subtree(relative, bit)};
        if (is_sent(problem_, layout_, blocks)) {
          visit(parent, child, blocks);
        }
      });
    }
  }

  const Problem& problem_;
  const BlockLayout& layout_;
  BinomialTree tree_;
};

}}  // namespace tutti::schedules
