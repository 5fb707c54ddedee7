#include "src/experiments/points/measured_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <glob.h>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/gzip.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Returns the names of the files that match a pattern, sorted.
std::vector<std::string> paths_matching(const std::string& pattern) {
  glob_t found{};
  (void)::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

// Returns a copy of `of` for each file of `path`.
std::vector<MeasuredSource> sources_in(const MeasuredSource& of, const std::string& path,
                                       std::vector<std::string>& notes) {
  std::vector<MeasuredSource> sources;
  for (std::string& each : files_of_runs(path, notes)) {
    sources.push_back({std::move(each), of.algorithm, of.ranks});
  }
  return sources;
}

// True if the text is one that has measured times, as far as its beginning or its headings show.
bool has_runs(std::string_view text) {
  return is_of_points(text) || text.starts_with("# tutti:") || is_of_runs(text);
}

enum class FolderFile : std::uint8_t { runs, other, unusable };

// Tells files with measured times from others. Does not use FileText, because files that are left
// out are not inputs of the result, and must not stop the command.
FolderFile kind_of_file(const std::string& path) {
  // Enough for what a launcher or NCCL_DEBUG=INFO prints before the benchmark's own heading.
  constexpr std::size_t kLooksAt = std::size_t{1} << 20U;
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) {
    return FolderFile::unusable;
  }
  const auto read_more = [&file](std::string& text, std::uint64_t bytes) {
    const std::size_t before = text.size();
    text.resize(before + bytes);
    file.read(text.data() + before, static_cast<std::streamsize>(bytes));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  };
  std::string text;
  read_more(text, std::min<std::uint64_t>(size, kLooksAt));
  if (file.bad()) {
    return FolderFile::unusable;
  }
  if (is_gzip(text) && size <= kRunsFile.most_bytes) {
    read_more(text, size - text.size());
    try {
      text = unpacked(text, path, kRunsFile.most_bytes);
    } catch (const UserError&) {
      return FolderFile::unusable;
    }
  }
  if (!has_runs(text)) {
    return FolderFile::other;
  }
  return size <= kRunsFile.most_bytes ? FolderFile::runs : FolderFile::unusable;
}

// Parses `part`, one entry of the list of files.
std::vector<MeasuredSource> sources_of(std::string_view from, const std::string& part,
                                       std::vector<std::string>& notes) {
  MeasuredSource source;
  std::string pattern = part;
  const std::size_t equals = part.find('=');
  if (equals != std::string::npos && !is_there(part)) {
    source.algorithm = part.substr(0, equals);
    pattern = part.substr(equals + 1);
    if (const std::size_t at = source.algorithm.rfind('@'); at != std::string::npos) {
      const std::string ranks = source.algorithm.substr(at + 1);
      const std::string what = fmt::format("{} '{}'", from, shortened(printable(part)));
      if (ranks.empty() || !has_only_digits(ranks)) {
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
    return sources_in(source, pattern, notes);
  }
  std::vector<MeasuredSource> sources;
  for (const std::string& path : paths_matching(pattern)) {
    for (MeasuredSource& each : sources_in(source, path, notes)) {
      sources.push_back(std::move(each));
    }
  }
  if (sources.empty()) {
    throw UserError(fmt::format("{} '{}': no file matches '{}'", from, shortened(printable(part)),
                                printable(pattern)));
  }
  return sources;
}

}  // namespace

std::vector<std::string> files_of_runs(const std::string& path, std::vector<std::string>& notes) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> files;
  std::vector<std::string> others;
  std::vector<std::string> unusable;
  using Files = std::filesystem::recursive_directory_iterator;
  constexpr auto kSkip = std::filesystem::directory_options::skip_permission_denied;
  for (auto each = Files(path, kSkip, error); !error && each != Files(); each.increment(error)) {
    std::error_code unknown;
    if (each->path().filename().string().starts_with('.')) {
      each.disable_recursion_pending();
    } else if (each->is_regular_file(unknown)) {
      std::string name = each->path().string();
      const FolderFile kind = kind_of_file(name);
      (kind == FolderFile::runs    ? files
       : kind == FolderFile::other ? others
                                   : unusable)
          .push_back(std::move(name));
    }
  }
  if (error) {
    throw UserError(
        fmt::format("'{}' cannot be read: {}", shortened(printable(path)), error.message()));
  }
  std::ranges::sort(files);
  std::ranges::sort(others);
  std::ranges::sort(unusable);
  if (!unusable.empty()) {
    const std::string text =
        fmt::format("'{}': left out {} that cannot be read, or {} too large, such as '{}'",
                    shortened(printable(path)), counted(unusable.size(), "file"),
                    unusable.size() == 1 ? "is" : "are", shortened(printable(unusable.front())));
    if (files.empty()) {
      throw UserError(text + "; no other file has measured times");
    }
    notes.push_back(text);
  }
  if (files.empty()) {
    throw UserError(fmt::format(
        "'{}' is a folder without measured times: {}; expected outputs of benchmarks, or tables of "
        "points",
        shortened(printable(path)),
        others.empty() ? "it has no files"
                       : fmt::format("{}, such as '{}', {} none", counted(others.size(), "file"),
                                     shortened(printable(others.front())),
                                     others.size() == 1 ? "has" : "have")));
  }
  if (!others.empty()) {
    notes.push_back(fmt::format("'{}': left out {} without measured times, such as '{}'",
                                shortened(printable(path)), counted(others.size(), "file"),
                                shortened(printable(others.front()))));
  }
  return files;
}

std::vector<MeasuredSource> measured_sources(std::string_view from, const std::string& text,
                                             std::vector<std::string>& notes) {
  if (is_there(text)) {
    return sources_in({}, text, notes);
  }
  std::vector<MeasuredSource> sources;
  for (const std::string_view part : split(text, ',')) {
    for (MeasuredSource& each : sources_of(from, std::string(part), notes)) {
      sources.push_back(std::move(each));
    }
  }
  return sources;
}

bool is_of_points(std::string_view text) {
  if (is_benchmark_output(text)) {
    return true;
  }
  for (LineReader lines(text); lines.next();) {
    if (!lines.line().starts_with('#')) {
      return (',' + std::string(lines.line()) + ',').find(",tutti,") != std::string::npos;
    }
  }
  return false;
}

SourcePoints points_in(std::string_view text, const MeasuredSource& source) {
  PointDefaults defaults;
  defaults.ranks = source.ranks;
  defaults.as_given = "allreduce/ring=FILE";
  defaults.ranks_as_given = "the number, as in allreduce/ring@16=FILE";
  SourcePoints found;
  for (BenchmarkPoint& point :
       parse_points(text, source.path, defaults, source.algorithm, found.notes)) {
    if (point.is_average && found.points.empty()) {
      note_averages({point}, found.notes);
    }
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

namespace {

MeasuredRun run_of(SourcePoint&& of) {
  MeasuredRun run;
  run.algorithm = of.point.algorithm;
  run.problem = std::move(of.problem);
  run.median_s = run.low_s = run.high_s = of.point.measured_s;
  run.fastest_s = of.point.min_s.value_or(of.point.measured_s);
  return run;
}

MeasuredRuns runs_of_points(const std::string& text, const MeasuredSource& source) {
  MeasuredRuns runs;
  SourcePoints points = points_in(text, source);
  runs.refused = points.refusals.size();
  runs.refusals = std::move(points.refusals);
  runs.notes = std::move(points.notes);
  for (SourcePoint& each : points.points) {
    runs.runs.push_back(run_of(std::move(each)));
  }
  if (runs.runs.empty()) {
    throw UserError(fmt::format("'{}': the file has no usable runs{}", printable(source.path),
                                runs.refused == 0 ? "" : "; refused: " + runs.refusals.front()));
  }
  return runs;
}

}  // namespace

MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources) {
  MeasuredRuns all;
  for (const MeasuredSource& source : measured_sources(from, sources, all.notes)) {
    // Read each file only once, because a pipe cannot be read again.
    const std::string text = read_file(source.path, kRunsFile);
    MeasuredRuns runs =
        is_of_points(text) ? runs_of_points(text, source) : measured_runs_in(text, source.path);
    all.refused += runs.refused;
    std::move(runs.refusals.begin(), runs.refusals.end(), std::back_inserter(all.refusals));
    std::move(runs.notes.begin(), runs.notes.end(), std::back_inserter(all.notes));
    std::move(runs.runs.begin(), runs.runs.end(), std::back_inserter(all.runs));
    std::move(runs.too_busy.begin(), runs.too_busy.end(), std::back_inserter(all.too_busy));
  }
  return all;
}

}}  // namespace tutti::experiments
