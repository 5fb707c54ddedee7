// Files of measured times as a user names them, with the algorithm and the number of ranks, which
// the files of benchmarks do not state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"

namespace tutti::inline experiments {

struct MeasuredSource {
  std::string path;
  std::string algorithm;               // "ring --segment 64K"; "" if not given
  std::optional<std::uint32_t> ranks;  // empty if not given
};

// Parses a list of files: "runs.json", or "ring=a.txt,pipeline --tree binary@16=b.txt". Each entry
// is FILE, ALGORITHM=FILE or ALGORITHM@RANKS=FILE. A name with the wildcards * and ? means all
// matching files, in the order of their names. If `text` as a whole is the name of a file, the list
// has only this file. Throws UserError, which begins with `from`, for a missing file, and for ranks
// that are not a number.
[[nodiscard]] std::vector<MeasuredSource> measured_sources(std::string_view from,
                                                           const std::string& text);

// True if `text` has benchmark points, rather than results of tutti-mpi or a table with a column
// "algorithm".
[[nodiscard]] bool is_of_points(std::string_view text);

// A point with an algorithm that accepts the point's problem. Other points are left out: those of
// the library's own choices, and those whose algorithm refuses the problem. For example, a ring
// refuses fewer elements than ranks, for which a library silently runs another algorithm.
struct SourcePoint {
  BenchmarkPoint point;
  Problem problem;
};
struct SourcePoints {
  std::vector<SourcePoint> points;
  std::vector<std::string> refusals;  // descriptions of points that their algorithm refuses
};
// Returns the points in `text`, the contents of the file `source`. Throws UserError, as
// parse_points() does.
[[nodiscard]] SourcePoints points_in(std::string_view text, const MeasuredSource& source);

}  // namespace tutti::inline experiments
