// The spanning tree that circulant skips form for one root: the messages of the circulant
// reduce-scatter that carry the root's block. Relative rank i is rank root - i. If relative rank i
// sends the root's block in round k, its parent is relative rank i - s_k, where s_k is the skip of
// round k. See circulant_skips.hpp.
#pragma once

#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class CirculantTree {
 public:
  explicit CirculantTree(const Problem& problem);

  [[nodiscard]] std::size_t rounds() const { return plan_.size(); }

  // Calls visit(parent, child, relative_child) for each edge of a round.
  template <typename Visit>
  void for_each_edge(std::size_t round, Visit&& visit) const {
    for_each_index(plan_[round],
                   [&](std::uint32_t i) { visit(rank(i - plan_[round].skip), rank(i), i); });
  }

  // Returns the number of rounds if the root takes part in all of them, else nothing. If the root
  // does, no path takes longer than the root's messages: what another rank receives in a round is a
  // part of what the root receives, shifted by the rank's distance.
  [[nodiscard]] std::optional<double> rounds_of_root() const;

  // Lists the blocks of all ranks in the subtree of relative rank i, ascending, as pairs of equal
  // numbers.
  void subtree_blocks(std::uint32_t i, std::vector<BlockPair>& blocks) const;

 private:
  [[nodiscard]] Rank rank(std::uint32_t i) const {
    return static_cast<Rank>((std::uint64_t{root_} + p_ - i) % p_);
  }

  std::uint32_t p_;
  Rank root_;
  std::vector<CirculantRound> plan_;
  // The children of each relative rank, as relative ranks.
  std::vector<std::vector<std::uint32_t>> children_;
};

// Provides the functions of an Algorithm that gathers (kUp) or scatters over the tree.
template <bool kUp>
struct RootedCirculant {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options = bit(Option::skips);
    own.layout = block_per_rank;
    own.exact_s = exact_s;
    own.emit = emit;
    own.one_shape = always;
    return own;
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    const auto rounds = CirculantTree(problem).rounds_of_root();
    if (!rounds) {
      return std::nullopt;
    }
    const double p = problem.ranks;
    return *rounds * prices.alpha_s +
           (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    const CirculantTree tree(problem);
    builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
    Rounds rounds(builder);
    std::vector<BlockPair> blocks;
    for (std::size_t step = 0; step < tree.rounds(); ++step) {
      rounds.next();
      tree.for_each_edge(kUp ? step : tree.rounds() - 1 - step, [&](Rank parent, Rank child,
                                                                    std::uint32_t relative) {
        tree.subtree_blocks(relative, blocks);
        rounds.comm(kUp ? child : parent, kUp ? parent : child, blocks, kWork, kWork);
      });
    }
  }
};

}}  // namespace tutti::schedules
