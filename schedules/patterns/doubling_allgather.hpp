// Recursive doubling with growing messages ("exponential message size"), for any p. At level l,
// partners whose numbers differ in bit l exchange all blocks of their groups of 2^l ranks. If p is
// not a power of two, the last group may have fewer ranks. The ranks of its partner group that have
// a partner then forward what they received to those that have none, down a tree. Block b belongs
// to relative rank b.
#pragma once

#include <algorithm>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/cut_off_partners.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class DoublingAllgather {
 public:
  // Only the root of `tree` matters here: ranks are numbered relative to it.
  DoublingAllgather(Rounds& rounds, const BinomialTree& tree, std::uint32_t ranks)
      : rounds_(rounds), tree_(tree), p_(ranks) {}

  // Returns the number of messages. At each level every rank receives once, from its partner or
  // through the tree. Only the ranks of the last group receive nothing if all ranks of their
  // partner group would be p or higher.
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
      const CutOffPartners cut_off(size, p_);
      cut_off.for_each_hand_on([&] { rounds_.next(); },
                               [&](Rank rank, Rank to) {
                                 send(rank, to, {cut_off.first + size, cut_off.served});
                               });
    }
  }

 private:
  void send(Rank relative, Rank to, const BlockSet& blocks) {
    rounds_.comm(tree_.rank(relative), tree_.rank(to), {blocks, kWork, kWork});
  }

  Rounds& rounds_;
  const BinomialTree& tree_;
  std::uint32_t p_;
};

}}  // namespace tutti::schedules
