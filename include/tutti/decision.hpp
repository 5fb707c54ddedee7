// Decides which algorithm to use from which size on.
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
  std::uint32_t from_ranks = 0;  // the fewest ranks; the next larger from_ranks ends the rule
  // The smallest size; the next larger from_bytes for the same ranks ends the rule.
  std::uint64_t from_bytes = 0;
  std::string algorithm;  // "allreduce/ring"
  // Options of the algorithm that differ from their defaults: {"tree", "binary"}.
  std::map<std::string, std::string> options;
};

// Returns rules that choose the algorithm with the shortest simulated time in each cell of the
// grid. Searches the boundary between two sizes until it is known to a relative precision of
// `crossover`. To keep the rules few, a rule is kept only if it saves at least the share
// `tolerance` of the time over the whole range of sizes.
[[nodiscard]] std::vector<Rule> decide(const Grid& grid, double tolerance = 0.01,
                                       double crossover = 0.05);

TUTTI_END
