#include "src/experiments/points/benchmark_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "schedules/options/option_type.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/requests/problem_template.hpp"

namespace tutti::inline experiments {

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

// Sets the options of a point's algorithm in `asked`, as if they were on the command line.
void give_options(const BenchmarkPoint& point, ProblemTemplate& asked) {
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
    asked.give(type->option, read);
  }
}

constexpr std::string_view kTold = "# tutti:";

struct TakenOption {
  std::string flag;
  std::string value;
};

// Removes one of the options `flags` and its value from `words`. Returns them; nothing if `words`
// has none of these options.
std::optional<TakenOption> taken_option(const BenchmarkPoint& place,
                                        std::vector<std::string>& words,
                                        std::initializer_list<std::string_view> flags) {
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
                                         std::initializer_list<std::string_view> flags) {
  const std::optional<TakenOption> taken = taken_option(place, words, flags);
  try {
    return taken ? std::optional(parse_positive_count(taken->flag, taken->value, kMostRanks))
                 : std::nullopt;
  } catch (const UserError& error) {
    refuse_line(place, error.what());
  }
}

// Reads the line "# tutti: ..." that a user added to a benchmark output. The algorithm and the
// numbers of ranks on this line are used unless the command line has them; --job names the job.
void take_told(std::string_view text, const std::string& path, PointDefaults& defaults,
               std::string& algorithm) {
  BenchmarkPoint place;
  place.file = path;
  std::string_view line;
  while (next_line(text, line)) {
    ++place.line;
    if (!line.starts_with(kTold)) {
      continue;
    }
    std::vector<std::string> words = words_of(line.substr(kTold.size()));
    if (const auto ranks = taken_ranks(place, words, {"-p", "--ranks"}); !defaults.ranks) {
      defaults.ranks = ranks;
    }
    if (const auto per_host = taken_ranks(place, words, {"--ranks-per-host"})) {
      defaults.ranks_per_node = *per_host;
    }
    if (auto job = taken_option(place, words, {"--job"})) {
      defaults.job = std::move(job->value);
    }
    if (algorithm.empty()) {
      algorithm = fmt::format("{}", fmt::join(words, " "));
    }
    return;
  }
}

// Returns the format of a benchmark's output; null for other texts.
const BenchmarkFormat* format_of(std::string_view text) {
  for (const BenchmarkFormat* each : {&kOsuFormat, &kImbFormat, &kNcclFormat, &kPicoFormat}) {
    if (each->is(text)) {
      return each;
    }
  }
  return nullptr;
}

void refuse_twice(const std::vector<BenchmarkPoint>& points) {
  std::map<std::pair<std::string_view, std::string_view>, const BenchmarkPoint*> seen;
  for (const BenchmarkPoint& point : points) {
    const std::string_view asked =
        point.algorithm != nullptr ? std::string_view(point.asked) : std::string_view();
    const auto [found, is_new] = seen.try_emplace({point.cell, asked}, &point);
    if (!is_new) {
      refuse_line(
          point, fmt::format(
                     "{} of cell '{}' is already in line {}{}; leave one of them out",
                     point.algorithm != nullptr ? "algorithm '" + point.asked + "'" : "the default",
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

bool is_benchmark_output(std::string_view text) { return format_of(text) != nullptr; }

std::vector<BenchmarkPoint> parse_points(std::string_view text, const std::string& path,
                                         const PointDefaults& given,
                                         const std::string& given_algorithm) {
  const BenchmarkFormat* const format = format_of(text);
  if (format == nullptr) {
    if (text.starts_with(kTold)) {
      throw UserError(
          fmt::format("'{}' has no times of a benchmark; the benchmark failed, or is unknown",
                      shortened(printable(path))));
    }
    return points_from_csv({text, path, given, given_algorithm});
  }
  PointDefaults defaults = given;
  std::string algorithm = given_algorithm;
  take_told(text, path, defaults, algorithm);
  return format->points({text, path, defaults, algorithm});
}

std::vector<BenchmarkPoint> read_points(const std::vector<std::string>& paths,
                                        const PointDefaults& defaults) {
  std::vector<BenchmarkPoint> points;
  std::size_t benchmarks = 0;
  const std::vector<std::string>& algorithms = defaults.algorithms;
  for (const std::string& path : paths) {
    const std::string text = read_file(path, kRunsFile);
    std::string algorithm;
    if (is_benchmark_output(text)) {
      algorithm = algorithms.empty() ? "" : algorithms[std::min(benchmarks, algorithms.size() - 1)];
      ++benchmarks;
    }
    std::vector<BenchmarkPoint> more = parse_points(text, path, defaults, algorithm);
    std::move(more.begin(), more.end(), std::back_inserter(points));
  }
  if (algorithms.size() > 1 && algorithms.size() != benchmarks) {
    throw UserError(fmt::format(
        "--algorithm: {} for {} that do not say which algorithm ran; give one algorithm "
        "for all of them, or one per file",
        counted(algorithms.size(), "algorithm"), counted(benchmarks, "file")));
  }
  if (defaults.ranks && benchmarks == 0) {
    throw UserError(fmt::format(
        "-p/--ranks '{}': the file says how many ranks there were; leave the option out",
        *defaults.ranks));
  }
  if (!algorithms.empty() && benchmarks == 0) {
    throw UserError(
        fmt::format("--algorithm '{}': the file says which algorithm ran; leave the option out",
                    printable(algorithms.front())));
  }
  refuse_twice(points);
  return points;
}

Problem problem_of(const BenchmarkPoint& point, std::optional<std::uint32_t> ranks_per_host) {
  if (point.bytes % point.element_bytes != 0) {
    refuse_value(point, "bytes", fmt::format("{}", point.bytes),
                 fmt::format("a multiple of the element size, {}", point.element_bytes));
  }
  try {
    ProblemTemplate asked;
    asked.element_bytes = point.element_bytes;
    asked.ranks_per_host = point.ranks_per_host(ranks_per_host);
    give_options(point, asked);
    return asked.problem(*point.algorithm, point.ranks, point.bytes);
  } catch (const UserError& error) {
    refuse_line(point, fmt::format("'{}': {}", shortened(printable(point.asked)), error.what()));
  }
}

}  // namespace tutti::inline experiments
