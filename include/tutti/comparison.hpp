// Compares algorithms: simulates each one for every combination of a number of ranks and a size.
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
  std::vector<std::uint64_t> bytes;  // values of Problem::bytes; {0} for a barrier
  Machine machine;
  std::uint32_t root = 0;
  std::uint32_t element_bytes = 8;
  std::map<std::string, std::string> options;  // see Problem::options
  std::size_t jobs = 0;                        // number of processors to use; 0: all
};

struct Timed {
  std::string algorithm;  // "allreduce/ring"
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;
  std::optional<double> seconds;  // simulated time; a median if it depends on tie-breaking
  std::string refusal;            // why there is no time: the algorithm cannot run the problem, or
                                  // the run failed
  // Shortest and longest time over different tie-breaking orders; both are equal to `seconds` if
  // only one order was simulated. Only the fastest algorithms for a number of ranks and a size are
  // simulated in several orders. If the ranges of two algorithms overlap, neither is faster.
  double least_s = 0;
  double most_s = 0;
};

// Returns one entry per run, ordered by ranks, then by bytes, then by algorithm in the order of
// algorithms(). Throws Error if the grid is invalid, or if none of its runs succeeds.
[[nodiscard]] std::vector<Timed> compare(const Grid& grid);

TUTTI_END
