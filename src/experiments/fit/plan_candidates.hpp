// Benchmark runs of a library's own algorithms, as candidates for a plan, and the commands that run
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/rule_files/library_release.hpp"

namespace tutti::inline experiments {

// Returns the library whose algorithms the OSU benchmarks can be forced to run; empty if `library`,
// the name in a file of --parameters, is another one.
[[nodiscard]] std::optional<LibraryRelease> forced_library(const std::string& library);

// Returns a point for each algorithm that the library can be forced to run and whose options have
// only defaults, and for sizes from 8 B to 64 MiB, in factors of 8 of what the benchmark calls the
// size. They run with `ranks_per_host` on each host, and, if that is more than one, also with one
// rank on each of the same hosts. Leaves out what the algorithm refuses. measured_s is 0.
[[nodiscard]] std::vector<BenchmarkPoint> candidate_points(const LibraryRelease& library,
                                                           std::uint32_t ranks,
                                                           std::uint32_t ranks_per_host);

// Returns the shell command that measures the point with the OSU benchmark of its collective; "" if
// the library cannot be forced to run the algorithm of the point.
[[nodiscard]] std::string benchmark_command(const LibraryRelease& library,
                                            const BenchmarkPoint& point,
                                            std::uint32_t ranks_per_host);

}  // namespace tutti::inline experiments
