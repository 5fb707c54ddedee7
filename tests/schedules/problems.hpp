// Problems for the tests that run over all algorithms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"

namespace tutti {

// Returns the algorithms that use only hosts and links, without in-network computation by switches.
// SimGrid, MPI and platforms without such switches can run only these algorithms.
inline std::vector<const Algorithm*> host_algorithms() {
  std::vector<const Algorithm*> all(algorithms().begin(), algorithms().end());
  std::erase_if(all, [](const Algorithm* each) { return each->in_network(); });
  return all;
}

// Returns true if `algorithm` says that it cannot solve `problem`.
inline bool refuses(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.refusal != nullptr && algorithm.refusal(problem).has_value();
}

// Returns `problem`, and copies of it in which one option that `algorithm` takes has another value.
// The values come from OptionType::trials. If `segment_elements` is not empty, the segment sizes
// come from this list instead, in elements.
inline std::vector<Problem> option_variants(
    const Algorithm& algorithm, const Problem& problem,
    const std::vector<std::uint64_t>& segment_elements = {}) {
  std::vector<Problem> variants{problem};
  for (const OptionType* type : option_types()) {
    if (!takes(algorithm, type->option)) {
      continue;
    }
    if (type->option == Option::segment && !segment_elements.empty()) {
      for (const std::uint64_t elements : segment_elements) {
        variants.push_back(problem);
        variants.back().segment_bytes = elements * problem.element_bytes;
      }
      continue;
    }
    for (const OptionTrial& trial : type->trials(problem)) {
      if (trial.problem != problem) {
        variants.push_back(trial.problem);
      }
    }
  }
  return variants;
}

// Returns the roots to try: every rank if there are at most 9 ranks, otherwise 0, 1 and the last
// rank. Returns only 0 for a collective without a root.
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

// Returns a problem for `algorithm`. A barrier has no elements, whatever `elements` is.
inline Problem problem_of(const Algorithm& algorithm, std::uint32_t ranks, std::uint64_t elements,
                          Rank root = 0) {
  return problem_of(algorithm.collective, ranks,
                    algorithm.collective == Collective::barrier ? 0 : elements, root);
}

// Returns a problem of about `bytes` bytes (none for a barrier), in which all algorithms have equal
// blocks: the number of elements is a multiple of p times the largest power of two up to p, where p
// is the number of ranks.
inline Problem even_problem(Collective collective, std::uint32_t ranks, std::uint64_t bytes,
                            Rank root = 0) {
  const std::uint64_t unit = std::uint64_t{ranks} * power_of_two_below(ranks);
  const std::uint64_t units = std::max<std::uint64_t>(1, (bytes / 8 + unit / 2) / unit);
  return problem_of(collective, ranks, collective == Collective::barrier ? 0 : units * unit, root);
}

// Returns the numbers of elements to try: 0, 1, three numbers around the number of ranks, 1000, and
// the prime 997. Returns only 0 for a barrier.
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
