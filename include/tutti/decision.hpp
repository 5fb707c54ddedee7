// Decides which algorithm to use for each number of ranks and each size.
//
//     for (const tutti::Rule& rule : tutti::decide(grid)) {
//       std::printf("p >= %u, from %ju bytes: %s\n", rule.from_ranks,
//                   std::uintmax_t{rule.from_bytes}, rule.algorithm.c_str());
//     }
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tutti/comparison.hpp"

TUTTI_BEGIN

struct Rule {
  // The rule applies from this number of ranks on, up to (but not including) the next larger
  // from_ranks in the list of rules.
  std::uint32_t from_ranks = 0;
  // The rule applies from this size on, up to (but not including) the next larger from_bytes of a
  // rule with the same from_ranks.
  std::uint64_t from_bytes = 0;
  std::string algorithm;  // "allreduce/ring"
  // Options of the algorithm that differ from their defaults: {"tree", "binary"}.
  std::map<std::string, std::string> options;
};

// Returns rules that choose the algorithm with the shortest simulated time for each number of ranks
// and each size. If different algorithms are the fastest for two neighbouring sizes of the grid,
// decide() searches for the size between them at which one algorithm becomes faster than the other.
// `crossover` is the relative precision of this search. A rule is left out if it saves less than
// the share `tolerance` of the time over the whole range of sizes.
[[nodiscard]] std::vector<Rule> decide(const Grid& grid, double tolerance = 0.01,
                                       double crossover = 0.05);

TUTTI_END
