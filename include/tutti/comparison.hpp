// Algorithms side by side: each at each number of ranks and each size.
//
//     for (const tutti::Timed& timed : tutti::compare({.collective = tutti::Collective::allreduce,
//                                                      .ranks = {16, 64}, .bytes = {1024, 1 << 20},
//                                                      .machine = {.platform = "fat_tree.xml"}})) {
//       if (timed.seconds) {
//         std::printf("%s %.3f us\n", timed.algorithm.c_str(), 1e6 * *timed.seconds);
//       }
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tutti/machine.hpp"
#include "tutti/problem.hpp"

TUTTI_BEGIN

struct Grid {
  Collective collective = Collective::allreduce;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> bytes;  // {0} for a barrier
  Machine machine;
  std::uint32_t root = 0;
  std::uint32_t element_bytes = 8;
  std::map<std::string, std::string> options;  // Problem::options, for those that take them
  std::size_t jobs = 0;                        // processors to use; 0: all
};

struct Timed {
  std::string algorithm;  // "allreduce/ring"
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;
  std::optional<double> seconds;  // simulated; the median where other orders of ties change it
  std::string refusal;            // why there are none: it is refused, or has failed
  // The range of `seconds` under other orders of ties, which is known of the leaders of each cell.
  // Where two ranges overlap, neither algorithm leads.
  double least_s = 0;
  double most_s = 0;
};

// By ranks, then bytes, then algorithms in the order of algorithms(). Throws Error for a grid of
// which nothing can be run.
[[nodiscard]] std::vector<Timed> compare(const Grid& grid);

TUTTI_END
