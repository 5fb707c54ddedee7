// Recursive doubling with messages that grow ("exponential message size"), for any p: at level l
// partners whose numbers differ in bit l exchange all blocks of their groups of 2^l ranks. Where
// the partner group is cut off by p, the ranks that had a partner hand what they got to those that
// had none, down a tree. Block b belongs to relative rank b.
#pragma once

#include <algorithm>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti {

class DoublingAllgather {
 public:
  // Only the root of `tree` matters here: relative ranks count from it.
  DoublingAllgather(Rounds& rounds, const BinomialTree& tree, std::uint32_t ranks)
      : rounds_(rounds), tree_(tree), p_(ranks) {}

  // At each level every rank receives once, from its partner or in the tree; where the partner
  // group of the last ranks lies beyond p, those receive nothing.
  static std::size_t messages(std::uint32_t ranks) {
    std::size_t sum = 0;
    for (std::uint64_t size = 1; size < ranks; size *= 2) {
      const std::uint64_t group = ranks / (2 * size) * (2 * size);
      sum += group + size < ranks ? ranks : group;
    }
    return sum;
  }

  void emit() {
    for (std::uint32_t level = 0; level < ceil_log2(p_); ++level) {
      const std::uint32_t size = 1U << level;
      rounds_.next();
      for (const Rank rank : rounds_.emitted_ranks()) {
        const Rank to = rank ^ size;
        if (to < p_) {
          const Rank group = rank / size * size;
          send(rank, to, {group, std::min(size, p_ - group)});
        }
      }
      // At most one group has a partner group that p cuts off.
      const Rank group = p_ / (2 * size) * (2 * size);
      if (group + size < p_ && p_ < group + 2 * size) {
        const std::uint32_t complete = p_ - group - size;
        for (std::uint32_t step = 0; step < level; ++step) {
          rounds_.next();
          propagate(level, group, complete, {group + size, complete}, step);
        }
      }
    }
  }

 private:
  void send(Rank relative, Rank to, const BlockSet& blocks) {
    rounds_.comm(tree_.rank(relative), tree_.rank(to), {blocks, kWork, kWork});
  }

  // The ranks of `group`, which starts at a multiple of 2^level, had partners up to `complete`
  // ranks into it; those send `blocks` on to the others. p may cut no rank off `group`.
  void propagate(std::uint32_t level, Rank group, std::uint32_t complete, const BlockSet& blocks,
                 std::uint32_t step) {
    const std::uint32_t distance = 1U << (level - 1 - step);
    for (Rank rank = group; rank < group + (1U << level); ++rank) {
      const Rank to = rank ^ distance;
      const Rank tree_root = rank / (2 * distance) * (2 * distance);
      if (to > rank && rank < tree_root + complete && to >= tree_root + complete) {
        send(rank, to, blocks);
      }
    }
  }

  Rounds& rounds_;
  const BinomialTree& tree_;
  std::uint32_t p_;
};

}  // namespace tutti
