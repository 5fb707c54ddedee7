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
  // Simulated time. If the time depends on which of several simultaneous messages goes first (a
  // tie), `seconds` is the median over several orders of such messages. Empty if the algorithm
  // could not be timed.
  std::optional<double> seconds;
  // Reason why `seconds` is empty: the algorithm cannot run the problem, or the run failed.
  std::string refusal;
  // Shortest and longest time over several orders of simultaneous messages; both are equal to
  // `seconds` if only one order was simulated. For each number of ranks and size, only the fastest
  // algorithms are simulated in several orders. If the intervals from least_s to most_s of two
  // algorithms overlap, neither algorithm counts as faster.
  double least_s = 0;
  double most_s = 0;
};

// Returns one entry for each number of ranks, size and algorithm, ordered by ranks, then by bytes,
// then by algorithm in the order of algorithms(). Throws Error if the grid is invalid, or if none
// of its runs succeeds.
[[nodiscard]] std::vector<Timed> compare(const Grid& grid);

TUTTI_END
