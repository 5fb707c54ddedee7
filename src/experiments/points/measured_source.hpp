// Files with measured times, as the user lists them. For a benchmark output, the user also gives
// the algorithm and, unless the output states it, the number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/measured_run.hpp"

namespace tutti { inline namespace experiments {

struct MeasuredSource {
  std::string path;
  std::string algorithm;               // "ring --segment 64K"; "" if not given
  std::optional<std::uint32_t> ranks;  // empty if not given
};

// Parses a list of files: "runs.json", or "ring=a.txt,pipeline --tree binary@16=b.txt". Each entry
// is FILE, ALGORITHM=FILE or ALGORITHM@RANKS=FILE. FILE may contain the wildcards * and ?, and then
// means all matching files, in the order of their names. FILE may also be a folder; see
// files_of_runs(). If `text` as a whole is the name of a file, the list consists of only this file.
// Throws a UserError that begins with `from` if no file matches a wildcard, or if RANKS is not a
// number.
[[nodiscard]] std::vector<MeasuredSource> measured_sources(std::string_view from,
                                                           const std::string& text,
                                                           std::vector<std::string>& notes);

// Returns the files of `path`: the path itself, or if it is a folder, the files with measured times
// in it and in its subfolders, in the order of their names. Adds a note on the other files of the
// folder, which are left out. Throws UserError if the folder has no files with measured times.
[[nodiscard]] std::vector<std::string> files_of_runs(const std::string& path,
                                                     std::vector<std::string>& notes);

// True if `text` contains benchmark points: the output of a benchmark, or CSV with a column
// "tutti". False for results of tutti-mpi, and for a table with a column "algorithm".
[[nodiscard]] bool is_of_points(std::string_view text);

// A point with an algorithm that accepts the point's problem. Other points are left out: those of
// the library's own choices, and those whose algorithm refuses the problem. For example, the ring
// algorithm refuses a problem with fewer elements than ranks. An MPI library silently runs another
// algorithm for such a problem.
struct SourcePoint {
  BenchmarkPoint point;
  Problem problem;
};
struct SourcePoints {
  std::vector<SourcePoint> points;
  std::vector<std::string> refusals;  // description of each point that its algorithm refuses
  std::vector<std::string> notes;     // what the user should know about the file
};
// Returns the points in `text`, the contents of the file `source`. Throws UserError, as
// parse_points() does.
[[nodiscard]] SourcePoints points_in(std::string_view text, const MeasuredSource& source);

// Returns the runs in the files that `sources` lists; measured_sources() parses this list. `from`
// is the name of the option, for error messages. Each file contains either results of `tutti-mpi
// run --json` or points. A run from a point has no data type and no operator. Points that measure
// the library's own choice of algorithm are left out. Throws UserError, as parse_measured_runs()
// and parse_points() do, and also if a file has no usable run.
[[nodiscard]] MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources);

}}  // namespace tutti::experiments
