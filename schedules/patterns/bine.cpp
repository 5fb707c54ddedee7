#include "schedules/patterns/bine.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the digits of `value` in base -2, the lowest one in bit 0.
std::uint64_t negabinary(std::int64_t value) {
  constexpr std::uint64_t kOddDigits = 0xAAAAAAAAAAAAAAAAU;
  return (kOddDigits + static_cast<std::uint64_t>(value)) ^ kOddDigits;
}

// Returns how many digits in a row, from the lowest one on, equal the lowest digit.
std::uint32_t digits_alike(std::uint64_t digits) {
  return static_cast<std::uint32_t>(std::countr_zero(digits ^ digits >> 1U)) + 1;
}

// Returns the step in which the block at `distance` is passed on. Even distances are written as
// negative numbers, odd ones as positive numbers. If p is not a power of two, both the distance and
// the distance in the other direction may fit into `steps` digits; the one with the later step
// counts.
std::uint32_t step_of(std::uint32_t distance, std::uint32_t p, std::uint32_t steps) {
  std::uint32_t step = 0;
  const std::int64_t upwards = distance % 2 == 0 ? -std::int64_t{distance} : distance;
  for (const std::int64_t value : {upwards, upwards < 0 ? upwards + p : upwards - p}) {
    if (const std::uint64_t digits = negabinary(value); digits >> steps == 0) {
      step = std::max(step, digits_alike(digits) - 1);
    }
  }
  return step;
}

}  // namespace

BineButterfly::BineButterfly(std::uint32_t ranks)
    : ranks_(ranks), step_of_(ranks), by_step_(ceil_log2(ranks)) {
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    step_of_[distance] = step_of(distance, ranks, steps());
    by_step_[step_of_[distance]].push_back(distance);
  }
}

std::vector<std::vector<BineTree::Edge>> BineTree::edges() const {
  std::vector<std::vector<Edge>> edges(steps());
  for (std::uint32_t relative = 1; relative < butterfly_.ranks(); ++relative) {
    const std::uint32_t step = butterfly_.step_towards(relative, 0);
    edges[step].push_back({rank(butterfly_.partner(relative, step)), rank(relative)});
  }
  return edges;
}

bool BineTree::keeps_order() const {
  struct Range {
    Rank first;
    Rank end;
  };
  std::vector<Range> ranges(ranks());
  for (Rank rank = 0; rank < ranks(); ++rank) {
    ranges[rank] = {rank, rank + 1};
  }
  for (const auto& step : edges()) {
    for (const Edge& edge : step) {
      Range& near = ranges[edge.near];
      const Range& far = ranges[edge.far];
      if (near.end != far.first && far.end != near.first) {
        return false;
      }
      near = {std::min(near.first, far.first), std::max(near.end, far.end)};
    }
  }
  return true;
}

std::vector<std::vector<BineTree::Parcel>> BineTree::subtrees() const {
  const std::uint32_t p = ranks();
  std::vector<std::vector<Parcel>> subtrees(steps());
  // For each rank: the blocks of that part of its subtree that has been visited so far.
  std::vector<std::vector<std::uint32_t>> below(p);
  for (std::uint32_t relative = 0; relative < p; ++relative) {
    below[relative].push_back(relative);
  }
  const auto by_step = edges();
  for (std::uint32_t step = 0; step < steps(); ++step) {
    for (const Edge& edge : by_step[step]) {
      std::vector<std::uint32_t>& blocks = below[(edge.far + p - root_) % p];
      std::vector<std::uint32_t>& near = below[(edge.near + p - root_) % p];
      near.insert(near.end(), blocks.begin(), blocks.end());
      std::sort(blocks.begin(), blocks.end());
      if (blocks.back() - blocks.front() == p - 1) {  // wraps around: begin after the first gap
        const auto gap = std::adjacent_find(
            blocks.begin(), blocks.end(),
            [](std::uint32_t one, std::uint32_t next) { return one + 1 != next; });
        std::rotate(blocks.begin(), gap + 1, blocks.end());
      }
      subtrees[step].push_back({edge.near, edge.far, std::move(blocks)});
    }
  }
  return subtrees;
}

std::vector<std::vector<BineTree::Parcel>> BineTree::parcels() const {
  const std::uint32_t p = butterfly_.ranks();
  std::vector<std::vector<Parcel>> parcels(steps());
  std::vector<std::vector<std::uint32_t>> has(p);  // for each rank: the blocks that it still holds
  for (std::uint32_t block = 0; block < p; ++block) {
    has[0].push_back(block);
  }
  for (std::uint32_t step = 0; step < steps(); ++step) {
    for (std::uint32_t relative = 0; relative < p; ++relative) {
      const auto goes = [&](std::uint32_t block) {
        return block != relative && butterfly_.step_towards(relative, block) == step;
      };
      const Rank to = butterfly_.partner(relative, step);
      const auto first =
          std::stable_partition(has[relative].begin(), has[relative].end(), std::not_fn(goes));
      if (first == has[relative].end()) {
        continue;
      }
      parcels[step].push_back({rank(relative), rank(to), {first, has[relative].end()}});
      has[to].insert(has[to].end(), first, has[relative].end());
      has[relative].erase(first, has[relative].end());
    }
  }
  return parcels;
}

void emit_bine_reduce_scatter(Rounds& rounds, const BineTree& tree) {
  const BineButterfly& butterfly = tree.butterfly();
  std::vector<BlockPair> blocks;
  const auto passed_on = [&](Rank relative, std::uint32_t step) -> const std::vector<BlockPair>& {
    blocks.clear();
    butterfly.for_each_passed_on(relative, step, [&](Rank owner) {
      blocks.push_back({owner, owner});
    });
    return blocks;
  };
  for (std::uint32_t step = 0; step < tree.steps(); ++step) {
    rounds.next();
    for (Rank relative = 0; relative < tree.ranks(); ++relative) {
      rounds.comm(tree.rank(relative), tree.rank(butterfly.partner(relative, step)),
                  passed_on(relative, step), kWork, kScratch);
    }
    for (Rank relative = 0; relative < tree.ranks(); ++relative) {
      const Rank from = butterfly.partner(relative, step);
      rounds.reduce(tree.rank(relative), passed_on(from, step), kScratch, kWork,
                    tree.rank(from) < tree.rank(relative) ? Operand::left : Operand::right);
    }
  }
}

void emit_bine_allgather(Rounds& rounds, const BineTree& tree) {
  std::vector<BlockPair> blocks;
  for (std::uint32_t step = tree.steps(); step-- > 0;) {
    rounds.next();
    for (Rank relative = 0; relative < tree.ranks(); ++relative) {
      const Rank to = tree.butterfly().partner(relative, step);
      blocks.clear();
      tree.butterfly().for_each_passed_on(to, step, [&](Rank owner) {
        blocks.push_back({owner, owner});
      });
      rounds.comm(tree.rank(relative), tree.rank(to), blocks, kWork, kWork);
    }
  }
}

std::size_t count_of(const std::vector<std::vector<BineTree::Parcel>>& parcels) {
  std::size_t count = 0;
  for (const auto& step : parcels) {
    count += step.size();
  }
  return count;
}

std::optional<Sentence> refuse_odd_ranks(const Problem& problem) {
  if (problem.ranks % 2 == 1 && problem.ranks > 1) {
    return sentence(
        "{} ranks: a Bine butterfly pairs even with odd ranks, so the number of ranks must be even",
        problem.ranks);
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
