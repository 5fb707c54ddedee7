// Which algorithm to take from which size on.
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
  std::uint32_t from_ranks = 0;                // up to where the next number of ranks begins
  std::uint64_t from_bytes = 0;                // up to where the next size of the same ranks begins
  std::string algorithm;                       // "allreduce/ring"
  std::map<std::string, std::string> options;  // that are not the default: its tree, its segments
};

// The fastest by simulation in each cell of the grid, with boundaries between sizes searched for
// until they are known to `crossover` of a size. A rule stays where it saves at least `tolerance`
// of the time over the whole range of sizes, so that there are few.
[[nodiscard]] std::vector<Rule> decide(const Grid& grid, double tolerance = 0.01,
                                       double crossover = 0.05);

TUTTI_END
