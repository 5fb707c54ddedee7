#include "src/experiments/points/benchmark_point.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/median.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_words.hpp"
#include "schedules/options/option_type.hpp"
#include "src/experiments/points/line_prefixes.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/requests/problem_template.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::string with_bytes(std::string text, std::uint64_t bytes) {
  constexpr std::string_view kBytes = "{n}";
  for (std::size_t at = text.find(kBytes); at != std::string::npos; at = text.find(kBytes, at)) {
    text.replace(at, kBytes.size(), fmt::format("{}", bytes));
  }
  return text;
}

const OptionType* option_of_flag(std::string_view flag) {
  const auto types = option_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [flag](const OptionType* type) { return type->flag() == flag; });
  return found == types.end() ? nullptr : *found;
}

// Sets the options of a point's algorithm in `algorithm_text`, as if they were on the command line.
void give_options(const BenchmarkPoint& point, ProblemTemplate& problem_template) {
  const std::vector<std::string>& words = point.algorithm_options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const OptionType* const type = option_of_flag(words[i]);
    if (type == nullptr || !takes(*point.algorithm, type->option)) {
      refuse_untaken(*point.algorithm, shortened(printable(words[i])));
    }
    if (i + 1 == words.size()) {
      throw UserError(fmt::format("{} needs a value", words[i]));
    }
    Problem read;
    read.collective = point.collective;
    type->parse(type->flag(), with_bytes(words[i + 1], point.bytes), read);
    problem_template.give(type->option, read);
  }
}

constexpr std::string_view kLabel = "# tutti:";

struct TakenOption {
  std::string flag;
  std::string value;
};

// Removes one of the options `flags` and its value from `words`. Returns them; nothing if `words`
// has none of these options.
std::optional<TakenOption> taken_option(const BenchmarkPoint& place,
                                        std::vector<std::string>& words,
                                        const std::vector<std::string>& flags) {
  const auto option = std::ranges::find_first_of(words, flags);
  if (option == words.end()) {
    return std::nullopt;
  }
  if (option + 1 == words.end()) {
    refuse_line(place, fmt::format("{} needs a value", *option));
  }
  TakenOption taken{*option, *(option + 1)};
  words.erase(option, option + 2);
  return taken;
}

// The same for an option whose value is a number of ranks.
std::optional<std::uint32_t> taken_ranks(const BenchmarkPoint& place,
                                         std::vector<std::string>& words,
                                         const std::vector<std::string>& flags) {
  const std::optional<TakenOption> taken = taken_option(place, words, flags);
  try {
    return taken ? std::optional(parse_positive_count(taken->flag, taken->value, kMostRanks))
                 : std::nullopt;
  } catch (const UserError& error) {
    refuse_line(place, error.what());
  }
}

// Reads a line "# tutti: ..." that a user added to a benchmark output. The algorithm and the
// numbers of ranks on this line are used unless the command line has them; --job names the job.
void apply_label(std::string_view line, const BenchmarkPoint& place, PointDefaults& defaults,
                 std::string& algorithm) {
  std::vector<std::string> words = words_of(line.substr(kLabel.size()));
  if (const auto ranks = taken_ranks(place, words, {"-p", flag_of("ranks")}); !defaults.ranks) {
    defaults.ranks = ranks;
  }
  if (const auto per_host = taken_ranks(place, words, {flag_of("ranks_per_host")})) {
    defaults.ranks_per_node = *per_host;
  }
  if (auto job = taken_option(place, words, {flag_of("job")})) {
    defaults.job = std::move(job->value);
  }
  if (algorithm.empty()) {
    algorithm = fmt::format("{}", fmt::join(words, " "));
  }
}

constexpr std::array kFormats{&kOsuFormat, &kImbFormat, &kNcclFormat, &kPicoFormat};

// Returns the format of a benchmark's output; null for other texts.
const BenchmarkFormat* format_of(std::string_view text) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const BenchmarkFormat* each) { return each->is(text); });
  return found == kFormats.end() ? nullptr : *found;
}

std::optional<std::size_t> heading_position(std::string_view line) {
  std::optional<std::size_t> first;
  for (const BenchmarkFormat* each : kFormats) {
    if (const auto at = each->heading != nullptr ? each->heading(line) : std::nullopt;
        at && (!first || *at < *first)) {
      first = at;
    }
  }
  return first;
}

// A part of a file, from one line "# tutti: ..." to the next.
struct LabelledPart {
  std::string_view text;
  std::size_t lines_before = 0;
  std::string_view label;  // the line "# tutti: ..."; "" if there is none
  std::size_t label_line = 0;
};

std::vector<LabelledPart> labelled_parts(std::string_view text) {
  std::vector<LabelledPart> parts{{text, 0, "", 0}};
  for (LineReader lines(text); lines.next();) {
    const std::string_view line = lines.line();
    if (!line.starts_with(kLabel)) {
      continue;
    }
    if (!parts.back().label.empty()) {
      const auto begin = static_cast<std::size_t>(line.data() - text.data());
      LabelledPart& last = parts.back();
      last.text.remove_suffix(text.size() - begin);
      parts.push_back({text.substr(begin), lines.number() - 1, "", 0});
    }
    parts.back().label = line;
    parts.back().label_line = lines.number();
  }
  return parts;
}

// Replaces points of the same run by one point with their median. Returns the number of times that
// one of these points has; 1 if no run occurs twice.
std::size_t merge(std::vector<BenchmarkPoint>& points) {
  using Key = std::tuple<std::string, std::string, std::uint32_t>;
  std::map<Key, std::size_t> places;
  std::vector<std::vector<BenchmarkPoint>> groups;
  std::size_t most = 1;
  for (BenchmarkPoint& point : points) {
    const auto [place, is_new] =
        places.try_emplace({point.cell, point.algorithm_text, point.element_bytes}, groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[place->second].push_back(std::move(point));
    most = std::max(most, groups[place->second].size());
  }
  points.clear();
  for (std::vector<BenchmarkPoint>& group : groups) {
    std::vector<double> times;
    for (const BenchmarkPoint& each : group) {
      times.push_back(each.measured_s);
    }
    std::ranges::sort(times);
    BenchmarkPoint& point = points.emplace_back(std::move(group.front()));
    if (times.size() > 1) {
      point.measured_s = median(times);
      point.min_s = times.front();
      point.p90_s = times[std::min(times.size() - 1, times.size() * 9 / 10)];
    }
  }
  return most;
}

// Throws UserError, which asks for the lines above the rows, if the text consists of rows of
// numbers with no heading.
void refuse_rows_without_heading(std::string_view text, const std::string& path) {
  TableRows rows;
  rows.begin({""}, 1, TableRows::First::number);
  std::vector<std::string> columns;
  for (LineReader lines(text); lines.next();) {
    const std::string_view line = lines.line();
    if (line.starts_with('#')) {
      columns = words_of(line.substr(1));
    } else if (line.find(',') != std::string_view::npos) {
      return;
    }
    if (const std::vector<std::string> values = rows.values(line); !values.empty()) {
      const bool is_nccl = values.size() > 7;
      const bool is_imb = !columns.empty() && columns[0] == "bytes";
      const bool has_unit = !columns.empty() && columns[0] == "Size";
      throw UserError(fmt::format(
          "'{}', line {}: rows of numbers, but no line above them says {}{}; copy these lines, "
          "too: {}",
          shortened(printable(path)), lines.number(),
          is_nccl ? "" : "which collective was measured",
          is_nccl              ? "which columns and units they have"
          : is_imb || has_unit ? ""
                               : ", and in which unit the times are",
          is_nccl ? "'#  size  count  type  redop  root  time  algbw  busbw  ...' of nccl-tests"
          : is_imb
              ? "'# Benchmarking Allreduce' and '# #processes = 16' of the Intel MPI Benchmarks"
              : "'# OSU MPI Allreduce Latency Test' and '# Size  Avg Latency(us)' of an OSU "
                "micro-benchmark, or those of another benchmark"));
    }
  }
}

void refuse_twice(const std::vector<BenchmarkPoint>& points) {
  std::map<std::pair<std::string_view, std::string_view>, const BenchmarkPoint*> seen;
  for (const BenchmarkPoint& point : points) {
    const std::string_view algorithm_text =
        point.algorithm != nullptr ? std::string_view(point.algorithm_text) : std::string_view();
    const auto [found, is_new] = seen.try_emplace({point.cell, algorithm_text}, &point);
    if (!is_new) {
      refuse_line(
          point,
          fmt::format("{} of cell '{}' is already in line {}{}; leave one of them out, or name the "
                      "jobs in which they ran",
                      point.algorithm != nullptr ? "algorithm '" + point.algorithm_text + "'"
                                                 : "the default",
                      shortened(printable(point.cell)), found->second->line,
                      found->second->file == point.file
                          ? ""
                          : fmt::format(" of '{}'", printable(found->second->file))));
    }
  }
}

}  // namespace

std::optional<double> BenchmarkPoint::spread() const {
  return p90_s && min_s ? std::optional(*p90_s / *min_s) : std::nullopt;
}

std::string BenchmarkPoint::full_job() const { return machine.empty() ? job : machine + '/' + job; }

std::uint32_t BenchmarkPoint::ranks_per_host(std::optional<std::uint32_t> given) const {
  if (given) {
    return *given;
  }
  if (nodes) {
    return (ranks + *nodes - 1) / *nodes;
  }
  return ranks_per_node ? static_cast<std::uint32_t>(std::ceil(*ranks_per_node)) : 1;
}

bool is_benchmark_output(std::string_view text) {
  if (format_of(text) != nullptr) {
    return true;
  }
  for (LineReader lines(text); lines.next();) {
    if (heading_position(lines.line())) {
      return true;
    }
  }
  return false;
}

PlainText::PlainText(std::string_view text, const std::string& path)
    : text_(text), format_(format_of(text)) {
  if (format_ == nullptr) {
    plain_ = without_prefixes(text, path, heading_position);
    format_ = format_of(this->text());
  }
}

std::vector<BenchmarkPoint> parse_points(std::string_view text, const std::string& path,
                                         const PointDefaults& given,
                                         const std::string& given_algorithm,
                                         std::vector<std::string>& notes) {
  const PlainText plain(text, path);
  text = plain.text();
  if (plain.format() == nullptr) {
    refuse_rows_without_heading(text, path);
    if (text.starts_with(kLabel)) {
      throw UserError(
          fmt::format("'{}' has no times of a benchmark; the benchmark failed, or is unknown",
                      shortened(printable(path))));
    }
    return points_from_csv({text, path, given, given_algorithm, notes});
  }
  std::vector<BenchmarkPoint> points;
  for (const LabelledPart& part : labelled_parts(text)) {
    PointDefaults defaults = given;
    std::string algorithm = given_algorithm;
    BenchmarkPoint place;
    place.file = path;
    place.line = part.label_line;
    if (!part.label.empty()) {
      apply_label(part.label, place, defaults, algorithm);
    }
    const BenchmarkFormat* const format = format_of(part.text);
    if (format == nullptr) {
      refuse_line(place, "no times of a benchmark follow this line");
    }
    std::vector<BenchmarkPoint> more =
        format->points({part.text, path, defaults, algorithm, notes, part.lines_before});
    std::move(more.begin(), more.end(), std::back_inserter(points));
  }
  if (const std::size_t tables = merge(points); tables > 1) {
    notes.push_back(
        fmt::format("'{}': up to {} tables have times of the same run; their medians "
                    "are used",
                    shortened(printable(path)), tables));
  }
  return points;
}

void note_averages(const std::vector<BenchmarkPoint>& points, std::vector<std::string>& notes) {
  std::vector<std::string> files;
  for (const BenchmarkPoint& point : points) {
    if (point.is_average && (files.empty() || files.back() != point.file)) {
      files.push_back(point.file);
    }
  }
  if (!files.empty()) {
    notes.push_back(fmt::format(
        "'{}'{}: no column Max Latency(us), which OSU benchmarks print with -f; the times are "
        "averages over the ranks, not those of the slowest rank",
        shortened(printable(files.front())),
        files.size() == 1 ? "" : " and " + counted(files.size() - 1, "other file")));
  }
}

namespace {

// Checks that the options for benchmark outputs match the number of these outputs.
void check_defaults(const PointDefaults& defaults, std::size_t benchmarks) {
  const std::vector<std::string>& algorithms = defaults.algorithms;
  if (algorithms.size() > 1 && algorithms.size() != benchmarks) {
    throw UserError(
        fmt::format("$algorithm: {} for {} that do not say which algorithm ran; give one algorithm "
                    "for all of them, or one per file",
                    counted(algorithms.size(), "algorithm"), counted(benchmarks, "file")));
  }
  if (defaults.ranks && benchmarks == 0) {
    throw UserError(
        fmt::format("$ranks '{}': the file says how many ranks there were; leave the option out",
                    *defaults.ranks));
  }
  if (!algorithms.empty() && benchmarks == 0) {
    throw UserError(
        fmt::format("$algorithm '{}': the file says which algorithm ran; leave the option out",
                    printable(algorithms.front())));
  }
}

// Tells about benchmarks that ended before their first row. Throws UserError if no file has points.
void tell_empty(const std::vector<std::string>& empty, bool any_points,
                std::vector<std::string>& notes) {
  if (empty.empty()) {
    return;
  }
  const std::string text =
      fmt::format("'{}'{}: the benchmark ended before its first row of times",
                  shortened(printable(empty.front())),
                  empty.size() == 1 ? "" : " and " + counted(empty.size() - 1, "other file"));
  if (!any_points) {
    throw UserError(text);
  }
  notes.push_back(text + "; left out");
}

}  // namespace

std::vector<BenchmarkPoint> read_points(const std::vector<std::string>& paths,
                                        const PointDefaults& defaults,
                                        std::vector<std::string>& notes) {
  std::vector<BenchmarkPoint> points;
  std::vector<BenchmarkPoint> of_outputs;
  std::vector<std::string> empty;
  std::size_t benchmarks = 0;
  const std::vector<std::string>& algorithms = defaults.algorithms;
  for (const std::string& path : paths) {
    const std::string whole = read_file(path, kRunsFile);
    const std::string_view text = without_byte_order_mark(whole);
    std::string algorithm;
    const bool is_output = is_benchmark_output(text);
    if (is_output) {
      algorithm = algorithms.empty() ? "" : algorithms[std::min(benchmarks, algorithms.size() - 1)];
      ++benchmarks;
    }
    auto of_tutti_mpi = points_of_tutti_mpi(text, path, defaults, notes);
    const bool may_repeat = is_output || of_tutti_mpi;
    std::vector<BenchmarkPoint> more = of_tutti_mpi
                                           ? std::move(*of_tutti_mpi)
                                           : parse_points(text, path, defaults, algorithm, notes);
    if (more.empty() && is_output) {
      empty.push_back(path);
    }
    std::ranges::move(more, std::back_inserter(may_repeat ? of_outputs : points));
  }
  if (const std::size_t files = merge(of_outputs); files > 1) {
    notes.push_back(fmt::format(
        "up to {} files have times of the same run; their medians are used; the lines '# tutti: "
        "... {} NAME' tell jobs apart",
        files, flag_of("job")));
  }
  std::ranges::move(of_outputs, std::back_inserter(points));
  check_defaults(defaults, benchmarks);
  tell_empty(empty, !points.empty(), notes);
  note_averages(points, notes);
  refuse_twice(points);
  return points;
}

Problem problem_of(const BenchmarkPoint& point, std::optional<std::uint32_t> ranks_per_host) {
  if (point.bytes % point.element_bytes != 0) {
    refuse_value(point, "bytes", fmt::format("{}", point.bytes),
                 fmt::format("a multiple of the element size, {}", point.element_bytes));
  }
  try {
    ProblemTemplate problem_template;
    problem_template.element_bytes = point.element_bytes;
    problem_template.ranks_per_host = point.ranks_per_host(ranks_per_host);
    give_options(point, problem_template);
    return problem_template.problem(*point.algorithm, point.ranks, point.bytes);
  } catch (const UserError& error) {
    refuse_line(point,
                fmt::format("'{}': {}", shortened(printable(point.algorithm_text)), error.what()));
  }
}

}}  // namespace tutti::experiments
