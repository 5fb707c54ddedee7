// Measured times of collectives, one per point. Simulations are scored against them, and message
// models are fitted to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti { inline namespace experiments {

struct BenchmarkPoint {
  std::string file;
  std::size_t line = 0;
  std::string machine;  // "" if unknown
  std::string job;
  std::string cell;  // name of the cell; points of one cell differ only in the algorithm
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;               // size of the vector, n
  std::optional<std::uint32_t> nodes;    // number of nodes on which the ranks run
  std::optional<double> ranks_per_node;  // mean over the nodes
  std::optional<std::uint32_t> choices;  // number of algorithms in the cell, if the file states it
  std::uint32_t element_bytes = 4;       // size of an element in bytes
  const Algorithm* algorithm = nullptr;  // null: the library's own choice
  // The algorithm as written in the file: "pipeline --tree binary".
  std::string algorithm_text;
  std::vector<std::string> algorithm_options;  // words of the options: "--tree", "binary"
  // Time of the slowest rank: the median or the mean over the repetitions, depending on the file
  // format.
  double measured_s = 0;
  std::optional<double> p90_s;
  std::optional<double> min_s;
  // True if measured_s is the mean over the ranks, because the output does not have the time of the
  // slowest rank.
  bool is_average = false;
  std::string barrier;  // MachineSpec::barrier
  std::string device;   // the GPU of the last rank, as its driver names it; "" if unknown

  // Returns how much the repetitions differed: the 90th percentile of their times divided by the
  // shortest of their times; empty if unknown.
  [[nodiscard]] std::optional<double> spread() const;
  // Returns the name of the job with that of the machine, if it is known: "lumi/a".
  [[nodiscard]] std::string full_job() const;
  // Returns the number of ranks per host (the last host may have fewer): `given` if it is set, or
  // else the value that the point implies.
  [[nodiscard]] std::uint32_t ranks_per_host(std::optional<std::uint32_t> given) const;
};

// Defaults for values that files do not state.
struct PointDefaults {
  // One algorithm for all benchmark outputs, or one for each of them, in the order of the files.
  std::vector<std::string> algorithms;
  // If set, outputs that do not say which algorithm ran measure this collective with the library's
  // own choice of algorithms.
  std::optional<Collective> own_choice_of;
  std::optional<std::uint32_t> ranks;          // number of ranks in all benchmark outputs
  std::optional<double> ranks_per_node;        // number of ranks on each node, likewise
  std::string job;                             // of all benchmark outputs
  std::optional<std::uint32_t> element_bytes;  // replaces the element size that a file states
  // Texts for error messages: how a user gives the algorithm or the ranks if they are missing.
  std::string_view as_given = "$algorithm allreduce/ring";
  std::string_view ranks_as_given = "$ranks";
};

// Example of a line that a user adds to a benchmark output to say which algorithm ran on how many
// ranks. Options on the command line override this line. The line may also have --ranks-per-host,
// and --job with a name of the job in which it ran.
inline constexpr std::string_view kLabelExample = "'# tutti: allreduce/ring -p 16'";

// Reads points from files, each of which is one of:
// - comma-separated values. Lines at the head that begin with '#' are comments. The first line
//   below them names the columns: collective, ranks, bytes, tutti (an algorithm with its options;
//   `{n}` is replaced by the number of bytes) and one of median_s,
//   median_us and median_ns. Optional columns: machine, job, cell, role (`counts` or `default`;
//   other rows are left out), nodes, ranks_per_node, type, choices, p90 and min, each with the
//   suffix _s, _us or _ns, and barrier, the algorithm of MPI_Barrier that the benchmark forced;
// - the output of an OSU micro-benchmark for a collective;
// - the output of the Intel MPI Benchmarks. Only benchmarks of the algorithm's collective are read,
//   and if `defaults` has a number of ranks, only those on this number of ranks;
// - the output of nccl-tests. Only the out-of-place part of each line is read;
// - a file that PICO wrote, with a column "highest" in nanoseconds;
// - the output of `tutti-mpi run --json` or `tutti-mpi calibrate --json`.
//
// An output may contain several tables. Tables of other collectives than that of the algorithm are
// left out. If several tables, or several outputs, have times of the same run, the point has their
// median. A line
// "# tutti: ..." (kLabelExample) applies to the tables below it, and if it is the only one, to all.
// Prefixes of lines (line_prefixes.hpp) and lines that are not rows are ignored.
//
// `notes` receives what the user should know about the files, a sentence each. Throws UserError
// with a one-line message that names the file, the line, the column, the value, and what is
// accepted.
[[nodiscard]] std::vector<BenchmarkPoint> read_points(const std::vector<std::string>& paths,
                                                      const PointDefaults& defaults,
                                                      std::vector<std::string>& notes);
// Parses the text of one file. If the text is the output of a benchmark, `algorithm` is the
// algorithm that ran; otherwise, `algorithm` is ignored. Returns no points if the benchmark ended
// before its first row.
[[nodiscard]] std::vector<BenchmarkPoint> parse_points(std::string_view text,
                                                       const std::string& path,
                                                       const PointDefaults& defaults,
                                                       const std::string& algorithm,
                                                       std::vector<std::string>& notes);
// Adds a note if some of the times are means over the ranks.
void note_averages(const std::vector<BenchmarkPoint>& points, std::vector<std::string>& notes);
// True if the text is the output of a benchmark, which does not say which algorithm ran.
[[nodiscard]] bool is_benchmark_output(std::string_view text);

// Returns the problem to simulate for a point. The algorithm may still refuse this problem. If
// `ranks_per_host` is set, it replaces the value of the point. Throws a UserError that names the
// file and the line of the point.
[[nodiscard]] Problem problem_of(const BenchmarkPoint& point,
                                 std::optional<std::uint32_t> ranks_per_host);

}}  // namespace tutti::experiments
