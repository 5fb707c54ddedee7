#include "src/experiments/points/point_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Shortest and longest plausible time of a call, in seconds. Any other time is probably in another
// unit than the file format prescribes.
constexpr double kShortest = 1e-9;
constexpr double kLongest = 86400;

std::string place_of(const BenchmarkPoint& point) {
  return fmt::format("'{}', line {}", shortened(printable(point.file)), point.line);
}

}  // namespace

void refuse_line(const BenchmarkPoint& point, std::string_view text) {
  throw UserError(fmt::format("{}: {}", place_of(point), text));
}

void refuse_value(const BenchmarkPoint& point, std::string_view column, std::string_view text,
                  std::string_view accepted) {
  refuse_line(point, fmt::format("column {} is '{}'; expected {}", column,
                                 shortened(printable(text)), accepted));
}

double point_time_s(const BenchmarkPoint& point, std::string_view column, std::string_view text,
                    double unit_s) {
  const auto value = parsed_number<double>(text);
  if (!value || !std::isfinite(*value) || *value <= 0) {
    refuse_value(point, column, text, "a number above 0, without a unit");
  }
  const double seconds = *value * unit_s;
  if (seconds < kShortest || seconds > kLongest) {
    refuse_value(point, column, text,
                 fmt::format("the time of a call, from 1 ns to a day; {:g} s suggests another unit",
                             seconds));
  }
  return seconds;
}

std::uint64_t point_number(const BenchmarkPoint& point, std::string_view column,
                           std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto value = parsed_number<std::uint64_t>(text);
  if (!value || *value < least || *value > most) {
    refuse_value(point, column, text, fmt::format("a whole number from {} to {}", least, most));
  }
  return *value;
}

std::vector<std::string> words_of(std::string_view line, std::size_t blanks) {
  std::vector<std::string> words;
  std::string word;
  std::size_t passed = blanks;  // blanks since the last word
  for (const char each : line) {
    if (each == ' ' || each == '\t') {
      passed += each == '\t' ? blanks : 1;
      continue;
    }
    if (passed >= blanks && !word.empty()) {
      words.push_back(std::exchange(word, {}));
    } else if (passed > 0 && !word.empty()) {
      word += ' ';
    }
    passed = 0;
    word += each;
  }
  if (!word.empty()) {
    words.push_back(std::move(word));
  }
  return words;
}

const Algorithm& algorithm_in(const BenchmarkPoint& point, std::string_view column,
                              Collective collective, const std::string& name,
                              std::string_view text) {
  try {
    const std::string whole = std::string(tutti::name(collective)) + '/';
    return algorithm_of(collective, name.starts_with(whole) ? name.substr(whole.size()) : name);
  } catch (const UserError& error) {
    refuse_line(point, fmt::format("column {} is '{}': {}", column, shortened(printable(text)),
                                   error.what()));
  }
}

void take_algorithm(BenchmarkPoint& point, std::string_view column, const std::string& text) {
  std::vector<std::string> words = words_of(text);
  if (words.empty()) {
    refuse_value(point, column, text, "an algorithm, such as ring");
  }
  const std::string name = words.front();
  words.erase(words.begin());
  point.algorithm = &algorithm_in(point, column, point.collective, name, text);
  point.algorithm_text = text;
  point.algorithm_options = std::move(words);
}

std::uint32_t bytes_of_type(std::string_view name) {
  if (name.starts_with("MPI_")) {
    name.remove_prefix(4);
  }
  const std::string lower = lower_case(name);
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 25> kTypes{
      {{"char", 1},    {"byte", 1},     {"int8", 1},     {"uint8", 1},  {"int8_t", 1},
       {"uint8_t", 1}, {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"f8e4m3", 1}, {"f8e5m2", 1},
       {"half", 2},    {"bfloat16", 2}, {"float16", 2},  {"int16", 2},  {"int", 4},
       {"int32", 4},   {"uint32", 4},   {"int32_t", 4},  {"float", 4},  {"float32", 4},
       {"int64", 8},   {"uint64", 8},   {"int64_t", 8},  {"double", 8}, {"float64", 8}}};
  for (const auto& [type, bytes] : kTypes) {
    if (lower == type) {
      return bytes;
    }
  }
  return 0;
}

std::uint32_t element_bytes_of(const BenchmarkPoint& point, std::string_view column,
                               std::string_view type, std::string_view accepted) {
  const std::uint32_t bytes = bytes_of_type(type);
  if (bytes == 0) {
    refuse_value(point, column, type, accepted);
  }
  return bytes;
}

std::optional<std::size_t> place_of_column(const std::vector<std::string>& names,
                                           std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - names.begin()));
}

void check_values(const BenchmarkPoint& place, const std::vector<std::string>& values,
                  std::size_t columns) {
  if (values.size() < columns) {
    refuse_line(place,
                fmt::format("has {} values; expected {}, one per column", values.size(), columns));
  }
}

bool begins_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  return !text.empty() &&
         (is_digit(text.front()) || text.front() == '.' || lower_case(text).starts_with("nan") ||
          lower_case(text).starts_with("inf"));
}

void TableRows::begin(std::vector<std::string> names, std::size_t time, First first) {
  const bool may_be_mixed = begun_ && rows_ == 0;
  *this = {};
  names_ = std::move(names);
  time_ = time;
  first_ = first;
  begun_ = true;
  may_be_mixed_ = may_be_mixed;
}

bool TableRows::is_mixed(const std::string& key) {
  const bool mixed = may_be_mixed_ && key == last_key_;
  last_key_ = key;
  return mixed;
}

bool TableRows::continues(const std::vector<std::string>& values) const {
  if (values.size() != last_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (begins_like_number(values[i]) != begins_like_number(last_[i])) {
      return false;
    }
  }
  return first_ != First::growing_number || parsed_number<std::uint64_t>(values[0]).value_or(0) >
                                                parsed_number<std::uint64_t>(last_[0]).value_or(0);
}

std::vector<std::string> TableRows::values(std::string_view line) {
  std::vector<std::string> values = words_of(line);
  const bool is_row = open() && values.size() > time_ && begins_like_number(values[time_]) &&
                      (first_ == First::time || has_only_digits(values[0])) &&
                      (!interrupted_ || continues(values));
  if (!is_row) {
    interrupted_ = rows_ > 0;
    return {};
  }
  interrupted_ = false;
  ++rows_;
  last_ = values;
  return values;
}

void refuse_mixed(const BenchmarkPoint& place) {
  refuse_line(
      place,
      "rows of several tables are mixed: each process ran the benchmark alone, so the times "
      "are not those of all ranks; use an output in which only one rank prints a table (was "
      "the benchmark built without MPI?)");
}

void note_skipped_row(const PointsText& file, std::size_t line, std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() > 1 && has_only_digits(words[0])) {
    file.notes.push_back(fmt::format("'{}', line {}: not a row of the table; left out: '{}'",
                                     shortened(printable(file.path)), line,
                                     shortened(printable(trimmed(text)))));
  }
}

void note_other_tables(const PointsText& file, const std::vector<std::string>& titles,
                       Collective collective) {
  if (!titles.empty()) {
    file.notes.push_back(fmt::format(
        "'{}': left out {} that {} not measure {}, such as '{}'", shortened(printable(file.path)),
        counted(titles.size(), "table"), titles.size() == 1 ? "does" : "do", name(collective),
        shortened(printable(titles.front()))));
  }
}

void refuse_missing_ranks(const PointsText& file) {
  throw UserError(
      fmt::format("'{}' does not say how many ranks there were; give {}, or add a line to the "
                  "file, such as {}",
                  shortened(printable(file.path)), file.defaults.ranks_as_given, kLabelExample));
}

BenchmarkPoint benchmark_point(const PointsText& file, std::size_t line, bool needs_ranks) {
  BenchmarkPoint point;
  point.file = file.path;
  point.line = line;
  const std::optional<Collective> own_choice_of = file.defaults.own_choice_of;
  if (file.algorithm.empty() && !own_choice_of) {
    throw UserError(
        fmt::format("'{}' does not say which algorithm ran; give the algorithm, as in {}, or "
                    "add a line to the file, such as {}",
                    shortened(printable(file.path)), file.defaults.as_given, kLabelExample));
  }
  if (!file.defaults.ranks && needs_ranks) {
    refuse_missing_ranks(file);
  }
  point.ranks = file.defaults.ranks.value_or(1);
  point.ranks_per_node = file.defaults.ranks_per_node;
  point.job = file.defaults.job;
  const Algorithm* const named =
      file.algorithm.empty() ? nullptr
                             : &algorithm_named(file.algorithm.substr(0, file.algorithm.find(' ')));
  point.collective = own_choice_of ? *own_choice_of : named->collective;
  if (named != nullptr && named->collective == point.collective) {
    take_algorithm(point, "$algorithm", file.algorithm);
  }
  return point;
}

void complete_point(BenchmarkPoint& point, const PointDefaults& defaults) {
  point.element_bytes = defaults.element_bytes.value_or(point.element_bytes);
  if (point.cell.empty()) {
    point.cell = fmt::format("{}{}{}/{}/{}", point.job, point.job.empty() ? "" : "/",
                             name(point.collective), point.bytes, point.ranks);
    if (!point.machine.empty()) {
      point.cell = point.machine + '/' + point.cell;
    }
  }
}

}}  // namespace tutti::experiments
