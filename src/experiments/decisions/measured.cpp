#include "src/experiments/decisions/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/median.hpp"
#include "base/quantities.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_schema.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A row of a file of measured times, as text, independent of the file's format.
struct MeasuredRow {
  std::string path;
  std::size_t line = 0;
  // Values by the column names of a table, or by the keys of a JSON object: collective (may be
  // missing), ranks, bytes, algorithm, seconds or median_s, and the names of algorithm options.
  std::map<std::string, std::string> fields;

  // Returns the value of a field; "" if the field is missing.
  [[nodiscard]] std::string get(const std::string& key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "" : found->second;
  }
};

// Checks `text`, which begins at `line` of the file, against the schema.
void check_text(std::string_view text, const std::string& path, std::size_t line) {
  if (const auto fault = json_schema("tutti-measured-1").fault_in(parse_json(text))) {
    throw UserError(fmt::format("{}: {}", place_in_file(path, line), fault->sentence()));
  }
}

void add_json(const JsonLine& json, const std::string& path, std::size_t line,
              std::vector<MeasuredRow>& runs) {
  if (json.is(JsonLine::Kind::array)) {
    for (const JsonLine& each : json.children) {
      add_json(each, path, each.line, runs);
    }
    return;
  }
  if (!json.is(JsonLine::Kind::object)) {
    throw UserError(
        fmt::format("{}: expected the result of a run, a JSON object", place_in_file(path, line)));
  }
  MeasuredRow run{path, line, {}};
  for (const JsonLine& member : json.children) {
    if (!member.is(JsonLine::Kind::null)) {
      run.fields[member.key] = member.text;
    }
  }
  runs.push_back(std::move(run));
}

std::vector<MeasuredRow> read_json(const std::string& text, const std::string& path) {
  std::vector<MeasuredRow> runs;
  const JsonText whole = parse_json_lines(text);
  if (whole.value) {
    check_text(text, path, 1);
    add_json(*whole.value, path, whole.value->line, runs);
    return runs;
  }
  // Expect one object on each line.
  std::string_view lines = text;
  std::string_view line;
  for (std::size_t number = 1; next_line(lines, line); ++number) {
    if (trimmed(line).empty()) {
      continue;
    }
    const JsonText one = parse_json_lines(line);
    if (!one.value) {
      throw UserError(fmt::format("{}: {}",
                                  place_in_file(path, number == 1 ? whole.fault.line : number),
                                  number == 1 ? whole.fault.text : one.fault.text));
    }
    check_text(line, path, number);
    add_json(*one.value, path, number, runs);
  }
  return runs;
}

std::vector<MeasuredRow> read_csv(const std::string& text, const std::string& path) {
  std::vector<MeasuredRow> runs;
  std::string_view lines = text;
  std::vector<std::string> names;
  std::string_view line;
  for (std::size_t number = 1; next_line(lines, line); ++number) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    // Blanks and quotation marks are part of a value.
    const std::vector<std::string_view> fields = split(line, ',');
    if (names.empty()) {
      names.assign(fields.begin(), fields.end());
      const auto has = [&names](const char* column) {
        return place_of_column(names, column).has_value();
      };
      for (const char* needed : {"ranks", "bytes", "algorithm"}) {
        if (!has(needed)) {
          throw UserError(
              fmt::format("{}: no column '{}'; the first line must name the columns ranks, "
                          "bytes, algorithm and seconds",
                          place_in_file(path, number), needed));
        }
      }
      if (!has("seconds") && !has("median_s")) {
        throw UserError(fmt::format("{}: no column 'seconds' or 'median_s'; add one of them",
                                    place_in_file(path, number)));
      }
      continue;
    }
    if (fields.size() != names.size()) {
      throw UserError(fmt::format("{}: has {} values; expected {}, one per column",
                                  place_in_file(path, number), fields.size(), names.size()));
    }
    MeasuredRow run{path, number, {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      run.fields[names[i]] = fields[i];
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

// Adds to `row` the algorithm options that the user gave for the point `of`, with the same keys and
// values as in results of tutti-mpi.
void add_options(const SourcePoint& of, MeasuredRow& row) {
  const std::vector<std::string>& given = of.point.algorithm_options;
  for (const OptionType* type : option_types()) {
    if (std::ranges::find(given, type->flag()) != given.end()) {
      row.fields[std::string(type->json_key)] = type->option == Option::segment
                                                    ? fmt::format("{}", of.problem.segment_bytes)
                                                    : type->print(of.problem);
    }
  }
}

std::vector<MeasuredRow> rows_of_points(const std::string& text, const MeasuredSource& source,
                                        std::vector<std::string>& notes) {
  std::vector<MeasuredRow> rows;
  const SourcePoints found = points_in(text, source);
  notes.insert(notes.end(), found.notes.begin(), found.notes.end());
  for (const SourcePoint& each : found.points) {
    const BenchmarkPoint& point = each.point;
    MeasuredRow row{source.path, point.line, {}};
    row.fields["collective"] = name(point.collective);
    row.fields["algorithm"] = point.algorithm->name;
    row.fields["ranks"] = fmt::format("{}", point.ranks);
    row.fields["bytes"] = fmt::format("{}", point.bytes);
    row.fields["seconds"] = fmt::format("{}", point.measured_s);
    add_options(each, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Parses the text of a file, in any format that fill_in_measured() accepts. Throws UserError, which
// names the faulty line.
std::vector<MeasuredRow> measured_rows(const std::string& text, const MeasuredSource& source,
                                       std::vector<std::string>& notes) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    return read_json(text, source.path);
  }
  return is_of_points(text) ? rows_of_points(text, source, notes) : read_csv(text, source.path);
}

template <typename Number>
Number number_of(const MeasuredRow& run, const std::string& key) {
  const std::string text = run.get(key);
  const auto number = parsed_number<Number>(text);
  if (!number || *number < 0 || !std::isfinite(static_cast<double>(*number))) {
    throw UserError(fmt::format("{}: {} '{}': must be a number, 0 or more",
                                place_in_file(run.path, run.line), key, text));
  }
  return *number;
}

std::string algorithm_of(const MeasuredRow& run) {
  const std::string algorithm = run.get("algorithm");
  const auto slash = algorithm.find('/');
  return slash == std::string::npos ? algorithm : algorithm.substr(slash + 1);
}

// Returns the candidate that `run` belongs to. An option that the run does not state has its
// default value: a pipeline without a tree is a chain. The option `cuts` is an exception: a run
// without it matches every value, because runs of a library itself do not state it.
std::optional<std::size_t> candidate_of(const Decision& decision, const MeasuredRow& run) {
  const std::string algorithm = algorithm_of(run);
  const auto same = [&](const Candidate& candidate, const OptionType& type) {
    const std::string standard = type.print(Problem{});
    const std::string key(type.json_key);
    const std::string theirs = run.get(key);
    const bool by_default = type.option == Option::cuts && !run.fields.contains(key);
    return by_default || !takes(*candidate.contender.algorithm, type.option) ||
           type.print(candidate.choice.options.values()) == (theirs.empty() ? standard : theirs);
  };
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    if (candidate.choice.algorithm == algorithm &&
        std::ranges::all_of(choice_options(),
                            [&](const OptionType* type) { return same(candidate, *type); })) {
      // A run without a segment size had the default segments.
      if (candidate.choice.default_segments && run.get("segment_bytes").empty()) {
        return i;
      }
      found = found || candidate.choice.default_segments ? found : std::optional(i);
    }
  }
  return found;
}

// Fills in what the user did not say about a benchmark's file. The collective is that of the
// decision, and so is the number of ranks, if the decision has only one.
void complete(MeasuredSource& source, const Decision& decision) {
  if (!source.algorithm.empty() && source.algorithm.find('/') == std::string::npos) {
    source.algorithm = fmt::format("{}/{}", name(decision.collective), source.algorithm);
  }
  if (!source.ranks && decision.ranks.size() == 1) {
    source.ranks = decision.ranks.front();
  }
}

// Fills in the times of the decision's cells from `rows`. `from` is the list of files as the user
// wrote it, for error messages.
void fill_in(const std::vector<MeasuredRow>& rows, const std::string& from, Decision& decision) {
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      cell.times.assign(decision.candidates.size(), {});
    }
  }
  // Measured times by cell, and then by candidate and segment size, because a median must not mix
  // times with different segment sizes.
  std::map<TimedCell*, std::map<std::pair<std::size_t, std::uint64_t>, std::vector<double>>> times;
  for (const MeasuredRow& run : rows) {
    const std::string collective = run.get("collective");
    if (!collective.empty() && collective != name(decision.collective)) {
      continue;
    }
    const auto ranks = number_of<std::uint32_t>(run, "ranks");
    const auto bytes = number_of<std::uint64_t>(run, "bytes");
    if (run.get("too_busy") == "true") {
      ++decision.too_busy_runs;
      continue;
    }
    const std::string key = run.fields.contains("seconds") ? "seconds" : "median_s";
    if ((run.fields.contains("state") || run.fields.contains("refused")) && run.get(key).empty()) {
      continue;  // a refused run, in a file that tutti wrote
    }
    const auto seconds = number_of<double>(run, key);
    const auto candidate = candidate_of(decision, run);
    if (!candidate) {
      const std::string algorithm = algorithm_of(run);
      if (find_algorithm(decision.collective, algorithm) != nullptr) {
        continue;  // the user excluded the algorithm, or the library lacks it
      }
      throw UserError(fmt::format("{}: tutti has no algorithm {}/{}",
                                  place_in_file(run.path, run.line), name(decision.collective),
                                  algorithm));
    }
    const std::uint64_t segment =
        run.get("segment_bytes").empty() ? 0 : number_of<std::uint64_t>(run, "segment_bytes");
    for (RankDecision& each : decision.decisions) {
      for (TimedCell& cell : each.cells) {
        if (each.ranks == ranks && cell.bytes == bytes) {
          times[&cell][{*candidate, segment}].push_back(seconds);
        }
      }
    }
  }
  if (times.empty()) {
    throw UserError(
        fmt::format("'{}' has no run of {} with these algorithms, numbers of ranks and sizes", from,
                    name(decision.collective)) +
        (decision.too_busy_runs == 0
             ? std::string()
             : fmt::format(", except {} on a machine too busy for reliable times; measure on a "
                           "quieter machine, or with a longer $budget",
                           counted(decision.too_busy_runs, "run"))));
  }
  for (auto& [cell, by_way] : times) {
    for (auto& [way, seconds] : by_way) {
      CandidateTime& time = cell->times[way.first];
      const double middle = median(seconds);
      if (!time.timed() || middle < time.seconds) {
        time.state = CandidateTime::State::timed;
        time.seconds = middle;
        time.segment_bytes = way.second;
      }
    }
  }
}

}  // namespace

void fill_in_measured(const std::string& sources, Decision& decision) {
  std::vector<MeasuredRow> rows;
  for (MeasuredSource& source :
       measured_sources("$by measured", sources, decision.measured_notes)) {
    const std::string text = read_text_file(source.path);
    complete(source, decision);
    for (MeasuredRow& row : measured_rows(text, source, decision.measured_notes)) {
      rows.push_back(std::move(row));
    }
  }
  fill_in(rows, sources, decision);
}

void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision) {
  MeasuredSource source{path, "", std::nullopt};
  complete(source, decision);
  fill_in(measured_rows(text, source, decision.measured_notes), path, decision);
}

}}  // namespace tutti::experiments
