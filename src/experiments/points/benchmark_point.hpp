// Times of collectives that somebody has measured, a point each: what a simulation is scored by,
// and what a model of messages is fitted to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti::inline experiments {

struct BenchmarkPoint {
  std::string file;
  std::size_t line = 0;
  std::string machine;  // "" where nothing is said
  std::string job;
  std::string cell;  // points of one cell differ in nothing but the algorithm
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;                     // n
  std::optional<std::uint32_t> nodes;          // with these ranks on them
  std::optional<double> ranks_per_node;        // the mean
  std::optional<std::uint32_t> choices;        // algorithms in the cell, where the file says it
  std::uint32_t element_bytes = 4;             // of the type
  const Algorithm* algorithm = nullptr;        // null: what the library chose by itself
  std::string asked;                           // "pipeline --tree binary", as the file has it
  std::vector<std::string> algorithm_options;  // "--tree", "binary"
  double measured_s = 0;                       // of the slowest rank, median over repetitions
  std::optional<double> p90_s;
  std::optional<double> min_s;

  // How much repetitions differed: the slow ones over the fastest; nothing where it is not known.
  [[nodiscard]] std::optional<double> spread() const;
  // How many ranks share a host, all but the last one: `given`, or as the point says.
  [[nodiscard]] std::uint32_t ranks_per_host(std::optional<std::uint32_t> given) const;
};

// What files do not say, or only some do.
struct PointDefaults {
  std::vector<std::string> algorithms;         // of the files of benchmarks, in their order
  std::optional<std::uint32_t> ranks;          // likewise, of all
  std::optional<std::uint32_t> element_bytes;  // in place of what a file says
  // How a user gives what is missing, for complaints.
  std::string_view as_given = "--algorithm allreduce/ring";
  std::string_view ranks_as_given = "-p/--ranks";
};

// A line of this kind in a file of a benchmark says what ran, where no option does.
inline constexpr std::string_view kToldExample = "'# tutti: allreduce/ring -p 16'";

// Reads what is one of
//  - comma-separated values whose first line names collective, ranks, bytes, tutti (an algorithm
//  with
//    its options; `{n}` stands for the bytes) and one of median_s, median_us and median_ns; and
//    perhaps machine, job, cell, role (`counts`, `default`; rows of other roles are left out),
//    nodes, ranks_per_node, type, choices, and p90 and min, in the same units;
//  - what an OSU micro-benchmark of a collective prints;
//  - what the Intel MPI Benchmarks print: of several benchmarks those of the algorithm's
//  collective,
//    and of several numbers of ranks those of `defaults`, or all;
//  - what nccl-tests print: of each line the part out of place;
//  - what PICO writes: a column "highest", in ns.
// Throws UserError, one line, that names file, line, column and value, and what would do.
[[nodiscard]] std::vector<BenchmarkPoint> read_points(const std::vector<std::string>& paths,
                                                      const PointDefaults& defaults);
// One file's text. `algorithm`: for a file of a benchmark.
[[nodiscard]] std::vector<BenchmarkPoint> parse_points(std::string_view text,
                                                       const std::string& path,
                                                       const PointDefaults& defaults,
                                                       const std::string& algorithm);
// Whether that is one of a benchmark, which does not say which algorithm ran.
[[nodiscard]] bool is_benchmark_output(std::string_view text);

// What to simulate for it, which the algorithm may yet refuse. `ranks_per_host`: in place of what
// the point says. Throws UserError that names the point's place.
[[nodiscard]] Problem problem_of(const BenchmarkPoint& point,
                                 std::optional<std::uint32_t> ranks_per_host);

}  // namespace tutti::inline experiments
