// Benchmark runs of a library's own algorithms, as candidates for a plan, and the commands that run
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/rule_files/library_release.hpp"

namespace tutti { inline namespace experiments {

// Returns the library whose algorithms the OSU benchmarks can be forced to run; empty if `library`,
// the name in a file of --parameters, is another one.
[[nodiscard]] std::optional<LibraryRelease> forced_library(const std::string& library);

// Schedules with more operations are not candidates. A plan simulates each candidate with dozens of
// models, and contention makes large all-to-all schedules much slower to simulate than others. A
// ring or an all-to-all on 128 ranks has fewer operations, and depends on the same parameters.
inline constexpr std::size_t kMostCandidateOps = 50'000;

// Returns a point for each algorithm that the library can be forced to run and whose options have
// only defaults, and for sizes from 8 B to 64 MiB, in factors of 8 of what the benchmark calls the
// size. They run with `ranks_per_host` on each host, and, if that is more than one, also with one
// rank on each of the same hosts. Leaves out what the algorithm refuses. measured_s is 0.
[[nodiscard]] std::vector<BenchmarkPoint> candidate_points(const LibraryRelease& library,
                                                           std::uint32_t ranks,
                                                           std::uint32_t ranks_per_host);

// Removes the places of points with more than kMostCandidateOps operations, and returns how many
// these are. Points must be in the order of candidate_points().
std::size_t leave_out_large(std::span<const BenchmarkPoint> points,
                            std::vector<std::size_t>& places);

// A run of an OSU benchmark in which the library is forced to run an algorithm.
struct ForcedRun {
  bool open_mpi = false;  // else MPICH
  // Names and values of the MCA parameters of Open MPI, or of the environment variables of MPICH.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string benchmark;  // "osu_bcast -f -m 8:8"
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_host = 0;

  // Returns the shell command that starts the ranks with mpirun or mpiexec.
  [[nodiscard]] std::string command() const;
  // Returns the settings as assignments of environment variables: "OMPI_MCA_coll_hcoll_enable=0
  // ...". Every launcher passes them on.
  [[nodiscard]] std::string environment() const;
};
// Returns the run that measures the point with the OSU benchmark of its collective; nothing if the
// library cannot be forced to run the algorithm of the point.
[[nodiscard]] std::optional<ForcedRun> forced_run(const LibraryRelease& library,
                                                  const BenchmarkPoint& point,
                                                  std::uint32_t ranks_per_host);

}}  // namespace tutti::experiments
