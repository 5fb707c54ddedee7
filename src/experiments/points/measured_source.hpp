// Files of measured times as a user names them, with what benchmarks' files do not say.
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
  std::string algorithm;               // "ring --segment 64K"; "" where nothing is said
  std::optional<std::uint32_t> ranks;  // likewise
};

// "runs.json", or "ring=a.txt,pipeline --tree binary@16=b.txt": files, each perhaps behind the
// algorithm that ran, and that behind the ranks that it ran on. A name may have wildcards, * and ?,
// which stand for all files that fit, in the order of their names. A text that is a file's name is
// that file. Throws UserError, which begins with `from`, for what has no file, and for ranks that
// are no number.
[[nodiscard]] std::vector<MeasuredSource> measured_sources(std::string_view from,
                                                           const std::string& text);

// Whether a text is one of points, and not the results of tutti-mpi, or of a table that has a
// column algorithm.
[[nodiscard]] bool is_of_points(std::string_view text);

// Those points of a text that an algorithm of ours can have run: not what the library chose by
// itself, and not what the algorithm refuses, such as a ring of fewer elements than ranks, of which
// a library runs another one in silence.
struct SourcePoint {
  BenchmarkPoint point;
  Problem problem;
};
struct SourcePoints {
  std::vector<SourcePoint> points;
  std::vector<std::string> refusals;  // of points that their algorithm does not run, in words
};
// Throws UserError, as parse_points() does.
[[nodiscard]] SourcePoints points_in(std::string_view text, const MeasuredSource& source);

}  // namespace tutti::inline experiments
