#include "src/experiments/decisions/measured_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "schedules/options/option_type.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_schema.hpp"

namespace tutti::inline experiments {

namespace {

// Checks `text`, which begins at `line` of the file, against the schema.
void check_text(std::string_view text, const std::string& path, std::size_t line) {
  if (const auto fault = json_schema("tutti-measured-1").fault_in(parse_json(text))) {
    throw UserError(fmt::format("{}:{}: {}", path, line, fault->sentence()));
  }
}
// Splits a text at separators, as std::getline() does. std::getline() itself is not used, because a
// stream reports a failed allocation as the end of the text.
class TextParts {
 public:
  TextParts(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  bool next(std::string& part) {
    if (rest_.empty()) {
      return false;
    }
    const std::size_t end = std::min(rest_.find(separator_), rest_.size());
    part = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
  }

 private:
  std::string_view rest_;
  char separator_;
};

void add_json(const JsonLine& json, const std::string& path, std::size_t line,
              std::vector<MeasuredRow>& runs) {
  if (json.is(JsonLine::Kind::array)) {
    for (const JsonLine& each : json.children) {
      add_json(each, path, each.line, runs);
    }
    return;
  }
  if (!json.is(JsonLine::Kind::object)) {
    throw UserError(fmt::format("{}:{}: expected the result of a run, a JSON object", path, line));
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
  TextParts lines(text, '\n');
  std::string line;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    const JsonText one = parse_json_lines(line);
    if (!one.value) {
      throw UserError(fmt::format("{}:{}: {}", path, number == 1 ? whole.fault.line : number,
                                  number == 1 ? whole.fault.text : one.fault.text));
    }
    check_text(line, path, number);
    add_json(*one.value, path, number, runs);
  }
  return runs;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  TextParts parts(line, ',');
  for (std::string field; parts.next(field);) {
    fields.push_back(field);
  }
  if (line.ends_with(',')) {
    fields.emplace_back();
  }
  return fields;
}

std::vector<MeasuredRow> read_csv(const std::string& text, const std::string& path) {
  std::vector<MeasuredRow> runs;
  TextParts lines(text, '\n');
  std::vector<std::string> names;
  std::string line;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::vector<std::string> fields = split(line);
    if (names.empty()) {
      names = fields;
      const auto has = [&names](const char* column) {
        return std::find(names.begin(), names.end(), column) != names.end();
      };
      for (const char* needed : {"ranks", "bytes", "algorithm"}) {
        if (!has(needed)) {
          throw UserError(
              fmt::format("{}:{}: no column '{}'; the first line must name the columns ranks, "
                          "bytes, algorithm and seconds",
                          path, number, needed));
        }
      }
      if (!has("seconds") && !has("median_s")) {
        throw UserError(
            fmt::format("{}:{}: no column 'seconds' or 'median_s'; add one of them", path, number));
      }
      continue;
    }
    if (fields.size() != names.size()) {
      throw UserError(fmt::format("{}:{}: has {} values; expected {}, one per column", path, number,
                                  fields.size(), names.size()));
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

std::vector<MeasuredRow> rows_of_points(const std::string& text, const MeasuredSource& source) {
  std::vector<MeasuredRow> rows;
  for (const SourcePoint& each : points_in(text, source).points) {
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

}  // namespace

std::vector<MeasuredRow> measured_rows(const std::string& text, const MeasuredSource& source) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    return read_json(text, source.path);
  }
  return is_of_points(text) ? rows_of_points(text, source) : read_csv(text, source.path);
}

}  // namespace tutti::inline experiments
