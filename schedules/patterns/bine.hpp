// Bine butterflies (binomial negabinary) over an even number of ranks. In step s an even rank r
// exchanges with rank r + rho(s), and an odd rank r with rank r - rho(s), where rho(s) = (1 -
// (-2)^(s+1))/3 = 1, -1, 3, -5, 11, ... The sign alternates, so partners are nearer to each other
// than in a hypercube: in the far steps, the distance is a third shorter.
//
// In ceil(lg p) steps, those over short distances first, the contribution of every rank reaches
// each block owner exactly once. In each step a rank keeps the half of its blocks whose owners it
// reaches in later steps, and passes on the other half. Blocks are numbered by the distance from
// the rank to their owner, upwards at even ranks and downwards at odd ranks. To find the step in
// which the block at some distance is passed on, write the distance (or the distance minus p) in
// base -2. If its lowest s+1 digits are equal and the next digit differs, the step is s.
//
// Source: De Sensi et al., "Bine Trees: Enhancing Collective Operations by Optimizing Communication
// Locality", SC'25, arXiv 2508.17311; De Sensi et al., "Swing: Short-cutting Rings for Higher
// Bandwidth Allreduce", NSDI'24. The extension to any even number of ranks follows libbine
// (github.com/HLC-Lab/pico), *_block_by_block_any_even: of the paper's function nu, only the
// highest bit is needed here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/op.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

[[nodiscard]] constexpr std::int64_t bine_rho(std::uint32_t step) {
  const std::int64_t power = std::int64_t{2} << step;
  return (1 + (step % 2 == 0 ? power : -power)) / 3;
}

// Returns the partner of `rank` < p in `step`; p is even.
[[nodiscard]] constexpr Rank bine_partner(Rank rank, std::uint32_t step, std::uint32_t p) {
  const std::int64_t rho = bine_rho(step);
  const std::int64_t partner = (rank + (rank % 2 == 0 ? rho : -rho)) % p;
  return static_cast<Rank>(partner < 0 ? partner + p : partner);
}

class BineButterfly {
 public:
  explicit BineButterfly(std::uint32_t ranks);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(by_step_.size()); }
  [[nodiscard]] Rank partner(Rank rank, std::uint32_t step) const {
    return bine_partner(rank, step, ranks_);
  }
  // Returns the step in which `rank` passes on the block of `owner`, another rank.
  [[nodiscard]] std::uint32_t step_towards(Rank rank, Rank owner) const {
    return step_of_[rank % 2 == 0 ? minus(owner, rank) : minus(rank, owner)];
  }
  // Returns the number of blocks that a rank passes on in `step`.
  [[nodiscard]] std::uint32_t passed_on(std::uint32_t step) const {
    return static_cast<std::uint32_t>(by_step_[step].size());
  }
  // Calls visit(owner) for each block that `rank` passes on in `step`, in ascending order modulo p.
  template <typename Visit>
  void for_each_passed_on(Rank rank, std::uint32_t step, Visit&& visit) const {
    const std::vector<std::uint32_t>& distances = by_step_[step];
    if (rank % 2 == 0) {
      for (auto distance = distances.begin(); distance != distances.end(); ++distance) {
        visit(minus(rank, ranks_ - *distance));
      }
    } else {
      for (auto distance = distances.rbegin(); distance != distances.rend(); ++distance) {
        visit(minus(rank, *distance));
      }
    }
  }

 private:
  [[nodiscard]] Rank minus(Rank a, Rank b) const { return a >= b ? a - b : a + ranks_ - b; }

  std::uint32_t ranks_;
  // The step in which the block at each distance is passed on.
  std::vector<std::uint32_t> step_of_;
  // The distances of the blocks that each step passes on, ascending.
  std::vector<std::vector<std::uint32_t>> by_step_;
};

// The butterfly as a tree for one root. Ranks are numbered relative to the root. There is one block
// per rank, which has the relative number of its rank.
class BineTree {
 public:
  BineTree(std::uint32_t ranks, Rank root) : butterfly_(ranks), root_(root) {}

  struct Edge {
    Rank near;  // the end nearer to the root
    Rank far;
  };

  [[nodiscard]] std::uint32_t ranks() const { return butterfly_.ranks(); }
  [[nodiscard]] std::uint32_t steps() const { return butterfly_.steps(); }
  [[nodiscard]] Rank rank(std::uint32_t relative) const {
    return static_cast<Rank>((std::uint64_t{root_} + relative) % butterfly_.ranks());
  }
  // Returns, for each step, the edges over which whole vectors travel to the root, near steps
  // first.
  [[nodiscard]] std::vector<std::vector<Edge>> edges() const;

  // True if every partial sum on the edges covers consecutive ranks. This is true for only about
  // two of the p possible roots.
  [[nodiscard]] bool keeps_order() const;

  struct Parcel {
    Rank from;
    Rank to;
    std::vector<std::uint32_t> blocks;  // relative to the root, ascending modulo p
  };
  // Returns, for each step of edges(), the blocks of the subtree below each edge, as a parcel from
  // the near end to the far end. If p is a power of two, the blocks of a parcel are consecutive
  // modulo p.
  [[nodiscard]] std::vector<std::vector<Parcel>> subtrees() const;
  // Returns, for each step, the messages over which the root's contributions to all blocks reach
  // the owners in a reduce-scatter, near steps first. If p is not a power of two, a rank may
  // receive its blocks from several ranks.
  [[nodiscard]] std::vector<std::vector<Parcel>> parcels() const;

  [[nodiscard]] const BineButterfly& butterfly() const { return butterfly_; }

 private:
  BineButterfly butterfly_;
  Rank root_;
};

// A reduce-scatter runs all steps from near to far and leaves the sum of each block at its owner.
// An allgather runs them from far to near and sends each rank's block to all ranks. Both number
// ranks and blocks relative to the root.
void emit_bine_reduce_scatter(Rounds& rounds, const BineTree& tree);
void emit_bine_allgather(Rounds& rounds, const BineTree& tree);

// Number of messages that either function above emits, for ScheduleBuilder::reserve().
[[nodiscard]] inline std::size_t bine_messages(const BineTree& tree) {
  return std::size_t{tree.ranks()} * tree.steps();
}

[[nodiscard]] std::size_t count_of(const std::vector<std::vector<BineTree::Parcel>>& parcels);

// Implements Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_odd_ranks(const Problem& problem);
inline constexpr std::array<std::string_view, 1> kOddRanksLimits{"an odd number of ranks above 1"};

// Provides the functions of an Algorithm that gathers (kUp) or scatters over the butterfly's tree.
template <bool kUp>
struct RootedBine {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.refusal = refuse_odd_ranks;
    own.limits = kOddRanksLimits;
    own.layout = block_per_rank;
    own.exact_s = exact_s;
    own.emit = emit;
    own.one_shape = always;
    return own;
  }
  // Returns a time only if the number of ranks is a power of two, because otherwise the root need
  // not finish last.
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    if (problem.ranks != power_of_two_below(problem.ranks)) {
      return std::nullopt;
    }
    const double p = problem.ranks;
    const double share = (p - 1) / p * static_cast<double>(problem.bytes);
    return floor_log2(problem.ranks) * prices.alpha_s + share * prices.beta_s_per_byte;
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    const BineTree tree(problem.ranks, problem.root);
    builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
    Rounds rounds(builder);
    std::vector<BlockPair> blocks;
    const auto steps = tree.subtrees();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      rounds.next();
      for (const BineTree::Parcel& subtree : steps[kUp ? i : steps.size() - 1 - i]) {
        blocks.clear();
        for (const std::uint32_t relative : subtree.blocks) {
          blocks.push_back({tree.rank(relative), tree.rank(relative)});
        }
        rounds.comm(kUp ? subtree.to : subtree.from, kUp ? subtree.from : subtree.to, blocks, kWork,
                    kWork);
      }
    }
  }
};

}}  // namespace tutti::schedules
