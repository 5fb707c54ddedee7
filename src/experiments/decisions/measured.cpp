#include "src/experiments/decisions/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/quantities.hpp"
#include "schedules/registry.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_schema.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

namespace {

// A run as text, however the file had it.
struct Run {
  std::size_t line = 0;
  std::map<std::string, std::string> fields;

  [[nodiscard]] std::string get(const std::string& key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "" : found->second;
  }
};

// `line`: of the text in the file.
void check_text(std::string_view text, const std::string& path, std::size_t line) {
  if (const auto fault = json_schema("tutti-measured-1").fault_in(parse_json(text))) {
    throw UserError(fmt::format("{}:{}: {}", path, line, fault->sentence()));
  }
}
// The parts of a text between separators, as std::getline() has them. Not that itself: a stream
// that finds no memory takes that for the end of the text.
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
              std::vector<Run>& runs) {
  if (json.is(JsonLine::Kind::array)) {
    for (const JsonLine& each : json.children) {
      add_json(each, path, each.line, runs);
    }
    return;
  }
  if (!json.is(JsonLine::Kind::object)) {
    throw UserError(fmt::format("{}:{}: accepted is the result of a run, an object", path, line));
  }
  Run run{line, {}};
  for (const JsonLine& member : json.children) {
    if (!member.is(JsonLine::Kind::null)) {
      run.fields[member.key] = member.text;
    }
  }
  runs.push_back(std::move(run));
}

std::vector<Run> read_json(const std::string& text, const std::string& path) {
  std::vector<Run> runs;
  const JsonText whole = parse_json_lines(text);
  if (whole.value) {
    check_text(text, path, 1);
    add_json(*whole.value, path, whole.value->line, runs);
    return runs;
  }
  // One object on each line.
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

std::vector<Run> read_csv(const std::string& text, const std::string& path) {
  std::vector<Run> runs;
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
              fmt::format("{}:{}: no column '{}'; accepted are values with a first line "
                          "that names ranks, bytes, algorithm and seconds",
                          path, number, needed));
        }
      }
      if (!has("seconds") && !has("median_s")) {
        throw UserError(fmt::format("{}:{}: no column 'seconds', nor 'median_s'", path, number));
      }
      continue;
    }
    if (fields.size() != names.size()) {
      throw UserError(fmt::format("{}:{}: {} values for {} columns", path, number, fields.size(),
                                  names.size()));
    }
    Run run{number, {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      run.fields[names[i]] = fields[i];
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

template <typename Number>
Number number_of(const Run& run, const std::string& key, const std::string& path) {
  const std::string text = run.get(key);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // To from_chars, "nan" and "inf" are real numbers.
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0 ||
      !std::isfinite(static_cast<double>(number))) {
    throw UserError(fmt::format("{}:{}: {} '{}' is no number", path, run.line, key, text));
  }
  return number;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string algorithm_of(const Run& run) {
  const std::string algorithm = run.get("algorithm");
  const auto slash = algorithm.find('/');
  return slash == std::string::npos ? algorithm : algorithm.substr(slash + 1);
}

bool is_known(Collective collective, const std::string& algorithm) {
  return std::ranges::any_of(algorithms(), [&](const Algorithm* each) {
    return each->collective == collective && each->name == algorithm;
  });
}

// The candidate that the run is one of; a pipeline without a tree is a chain. Runs that say nothing
// of cuts are of the library's cuts too, since what a library itself ran has no such column.
std::optional<std::size_t> candidate_of(const Decision& decision, const Run& run) {
  const std::string algorithm = algorithm_of(run);
  const auto same = [&](const Candidate& candidate, const OptionType& type) {
    const std::string standard = type.print(Problem{});
    const std::string key(type.json_key);
    const std::string theirs = run.get(key);
    const bool unsaid = type.option == Option::cuts && !run.fields.contains(key);
    return unsaid || !takes(*candidate.contender.algorithm, type.option) ||
           type.print(candidate.choice.options.values()) == (theirs.empty() ? standard : theirs);
  };
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    if (candidate.choice.algorithm == algorithm &&
        std::ranges::all_of(choice_options(),
                            [&](const OptionType* type) { return same(candidate, *type); })) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

void fill_in_measured(const std::string& path, Decision& decision) {
  fill_in_measured_text(read_text_file(path), path, decision);
}

void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  const std::vector<Run> runs = json ? read_json(text, path) : read_csv(text, path);

  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      cell.times.assign(decision.candidates.size(), {});
    }
  }
  // By candidate and segment, since each size of a segment is a run of its own.
  std::map<TimedCell*, std::map<std::pair<std::size_t, std::uint64_t>, std::vector<double>>> times;
  for (const Run& run : runs) {
    const std::string collective = run.get("collective");
    if (!collective.empty() && collective != name(decision.collective)) {
      continue;
    }
    const auto ranks = number_of<std::uint32_t>(run, "ranks", path);
    const auto bytes = number_of<std::uint64_t>(run, "bytes", path);
    if (run.get("too_busy") == "true") {
      ++decision.too_busy_runs;
      continue;
    }
    const std::string key = run.fields.contains("seconds") ? "seconds" : "median_s";
    if ((run.fields.contains("state") || run.fields.contains("refused")) && run.get(key).empty()) {
      continue;  // of tutti's own: a run that was refused
    }
    const auto seconds = number_of<double>(run, key, path);
    const auto candidate = candidate_of(decision, run);
    if (!candidate) {
      const std::string algorithm = algorithm_of(run);
      if (is_known(decision.collective, algorithm)) {
        continue;  // the user, or the library that rules are for, chooses among others
      }
      throw UserError(fmt::format("{}:{}: tutti has no {}/{}", path, run.line,
                                  name(decision.collective), algorithm));
    }
    const std::uint64_t segment =
        run.get("segment_bytes").empty() ? 0 : number_of<std::uint64_t>(run, "segment_bytes", path);
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
        fmt::format("'{}' has no run of {} with these algorithms, numbers of ranks and sizes", path,
                    name(decision.collective)) +
        (decision.too_busy_runs == 0
             ? std::string()
             : fmt::format(", but for {} of a machine that was too busy for their times to say "
                           "anything; measure on a quieter one, or with a longer --budget",
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

}  // namespace tutti
