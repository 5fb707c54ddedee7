#include "src/experiments/points/measured_source.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <glob.h>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti::inline experiments {

namespace {

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Sorted names of the files that match a pattern.
class Fitting {
 public:
  explicit Fitting(const std::string& pattern) {
    if (::glob(pattern.c_str(), 0, nullptr, &found_) == GLOB_NOSPACE) {
      throw std::bad_alloc();
    }
  }
  Fitting(const Fitting&) = delete;
  Fitting& operator=(const Fitting&) = delete;
  ~Fitting() { ::globfree(&found_); }

  [[nodiscard]] std::vector<std::string> paths() const {
    return {found_.gl_pathv, found_.gl_pathv + found_.gl_pathc};
  }

 private:
  glob_t found_{};
};

// Parses `part`, one entry of the list of files.
std::vector<MeasuredSource> sources_of(std::string_view from, const std::string& part) {
  MeasuredSource source;
  std::string pattern = part;
  const std::size_t equals = part.find('=');
  if (equals != std::string::npos && !is_there(part)) {
    source.algorithm = part.substr(0, equals);
    pattern = part.substr(equals + 1);
    if (const std::size_t at = source.algorithm.rfind('@'); at != std::string::npos) {
      const std::string ranks = source.algorithm.substr(at + 1);
      const std::string what = fmt::format("{} '{}'", from, shortened(printable(part)));
      if (ranks.empty() || ranks.find_first_not_of("0123456789") != std::string::npos) {
        throw UserError(
            fmt::format("{}: '{}' is not a number of ranks; write, for example, ring@16=FILE", what,
                        shortened(printable(ranks))));
      }
      source.ranks = parse_count(what + ", ranks", ranks, kMostRanks);
      source.algorithm.resize(at);
    }
  }
  if (pattern.empty() || source.ranks == 0) {
    throw UserError(
        fmt::format("{} '{}': write FILE, or ALGORITHM@RANKS=FILE if the benchmark does not say "
                    "which algorithm ran on how many ranks; separate several files by commas",
                    from, shortened(printable(part))));
  }
  if (is_there(pattern) || pattern.find_first_of("*?") == std::string::npos) {
    source.path = pattern;
    return {source};
  }
  std::vector<MeasuredSource> sources;
  for (std::string& path : Fitting(pattern).paths()) {
    sources.push_back({std::move(path), source.algorithm, source.ranks});
  }
  if (sources.empty()) {
    throw UserError(fmt::format("{} '{}': no file matches '{}'", from, shortened(printable(part)),
                                printable(pattern)));
  }
  return sources;
}

}  // namespace

std::vector<MeasuredSource> measured_sources(std::string_view from, const std::string& text) {
  if (is_there(text)) {
    return {{text, "", std::nullopt}};
  }
  std::vector<MeasuredSource> sources;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    for (MeasuredSource& each : sources_of(from, text.substr(begin, end - begin))) {
      sources.push_back(std::move(each));
    }
    begin = end + 1;
  }
  return sources;
}

bool is_of_points(std::string_view text) {
  std::string_view first;
  return is_benchmark_output(text) ||
         (next_line(text, first) &&
          (',' + std::string(first) + ',').find(",tutti,") != std::string::npos);
}

SourcePoints points_in(std::string_view text, const MeasuredSource& source) {
  PointDefaults defaults;
  defaults.ranks = source.ranks;
  defaults.as_given = "allreduce/ring=FILE";
  defaults.ranks_as_given = "the number, as in allreduce/ring@16=FILE";
  SourcePoints found;
  for (BenchmarkPoint& point : parse_points(text, source.path, defaults, source.algorithm)) {
    if (point.algorithm == nullptr) {
      continue;
    }
    Problem problem = problem_of(point, std::nullopt);
    const auto refusal =
        point.algorithm->refusal == nullptr ? std::nullopt : point.algorithm->refusal(problem);
    if (refusal) {
      found.refusals.push_back(
          fmt::format("'{}', line {}: {} on {}, {}: {}", shortened(printable(point.file)),
                      point.line, point.algorithm->full_name(), counted(problem.ranks, "rank"),
                      human_bytes(problem.bytes), with_fields(refusal->text)));
    } else {
      found.points.push_back({std::move(point), std::move(problem)});
    }
  }
  return found;
}

}  // namespace tutti::inline experiments
