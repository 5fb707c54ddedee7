// The problems that tests over all algorithms try.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti {

// `problem` with every value of every option that `algorithm` takes, one option changed at a time.
inline std::vector<Problem> option_variants(const Algorithm& algorithm, const Problem& problem,
                                            const std::vector<std::uint64_t>& segment_elements = {
                                                1, 3, 100}) {
  std::vector<Problem> variants{problem};
  const auto add = [&](Option option, auto&& change) {
    if ((algorithm.options & static_cast<unsigned>(option)) != 0) {
      variants.push_back(problem);
      change(variants.back());
    }
  };
  add(Option::fold, [](Problem& p) { p.fold = Fold::far; });
  add(Option::skips, [](Problem& p) { p.skips = "doubling"; });
  add(Option::skips, [](Problem& p) { p.skips = "linear"; });
  add(Option::skips, [](Problem& p) { p.skips = "sqrt"; });
  for (const std::uint64_t elements : segment_elements) {
    add(Option::segment, [&](Problem& p) { p.segment_bytes = elements * p.element_bytes; });
  }
  for (const char* tree : {"binary", "binomial", "doubling", "knomial"}) {
    add(Option::tree, [tree](Problem& p) { p.tree = tree; });
  }
  add(Option::parts, [](Problem& p) { p.parts = "open_mpi"; });
  add(Option::parts, [](Problem& p) {
    const bool linear = p.collective == Collective::reduce_scatter;
    // Few segments, because each is an operation for every rank.
    const std::uint64_t segment_bytes = std::max<std::uint64_t>(24, p.bytes / 5);
    p.parts = linear ? "pipeline:chain:" + std::to_string(segment_bytes) + "+linear"
                     : "linear+scatter_allgather";
    p.cuts = Cuts::open_mpi;
  });
  for (const Cuts cuts : {Cuts::open_mpi, Cuts::mpich}) {
    add(Option::cuts, [cuts](Problem& p) { p.cuts = cuts; });
  }
  add(Option::ranks_per_node, [](Problem& p) { p.ranks_per_node = 2; });
  add(Option::ranks_per_node, [](Problem& p) { p.ranks_per_node = 5; });
  add(Option::block_sizes, [](Problem& p) {
    // Everything in the last rank's block, but for one element in the first one's.
    p.block_bytes.assign(p.ranks, 0);
    p.block_bytes.back() = p.bytes;
    if (p.ranks > 1 && p.bytes > 0) {
      p.block_bytes.back() -= p.element_bytes;
      p.block_bytes.front() = p.element_bytes;
    }
  });
  return variants;
}

// All roots for few ranks, the ends for many; rank 0 where there is no root.
inline std::vector<Rank> roots(Collective collective, std::uint32_t ranks) {
  std::vector<Rank> all{0};
  if (!has_root(collective)) {
    return all;
  }
  if (ranks <= 9) {
    for (Rank root = 1; root < ranks; ++root) {
      all.push_back(root);
    }
    return all;
  }
  return {0, 1, ranks - 1};
}

inline Problem problem_of(Collective collective, std::uint32_t ranks, std::uint64_t elements,
                          Rank root = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.bytes = elements * problem.element_bytes;
  problem.root = root;
  return problem;
}

// Element counts around the number of ranks, nothing, and many that divide by nothing.
inline std::vector<std::uint64_t> element_counts(Collective collective, std::uint32_t ranks) {
  if (collective == Collective::barrier) {
    return {0};
  }
  std::vector<std::uint64_t> counts{0, 1, ranks - 1U, ranks, ranks + 1U, 997, 1000};
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

inline std::vector<std::uint32_t> rank_counts() {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
    counts.push_back(ranks);
  }
  counts.push_back(64);
  return counts;
}

}  // namespace tutti
