// Files of measured times as a user names them, with the algorithm and the ranks that the files of
// benchmarks do not state.
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
// matching files, in the order of their names. If the whole text is the name of a file, it means
// that file. Throws UserError, which begins with `from`, for a missing file, and for ranks that are
// not a number.
[[nodiscard]] std::vector<MeasuredSource> measured_sources(std::string_view from,
                                                           const std::string& text);

// True if a text has points, and not results of tutti-mpi or a table with a column algorithm.
[[nodiscard]] bool is_of_points(std::string_view text);

// A point that an algorithm of tutti can have run. Other points are left out: the library's own
// choices, and points that the algorithm refuses. An example is a ring with fewer elements than
// ranks, for which a library silently runs another algorithm.
struct SourcePoint {
  BenchmarkPoint point;
  Problem problem;
};
struct SourcePoints {
  std::vector<SourcePoint> points;
  std::vector<std::string> refusals;  // descriptions of points that their algorithm refuses
};
// Throws UserError, as parse_points() does.
[[nodiscard]] SourcePoints points_in(std::string_view text, const MeasuredSource& source);

}  // namespace tutti::inline experiments
