#include "src/output/score_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr double kOutlier = 3;
constexpr const char* kUnknown = "-";

std::string whole_percent(double share) { return fmt::format("{:.0f}%", share * 100); }

void add_missing(const ScoreLine& line, Table& table) {
  if (line.score && line.score->missing > 0) {
    table.add_line(fmt::format("{} not predicted", counted(line.score->missing, "cell")));
  }
}

std::string share_text(const std::optional<double>& share) {
  return share ? whole_percent(*share) : kUnknown;
}

void add_line(const ScoreLine& line, bool choices, Table& table) {
  const std::string name = line.group.empty() ? "all" : "  " + line.value;
  if (!line.score || line.score->cells == 0) {
    table.add({name, "0", "0", kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown,
               kUnknown, kUnknown, kUnknown, kUnknown, kUnknown});
    add_missing(line, table);
    return;
  }
  const Score& score = *line.score;
  const auto of_choice = [choices](const std::string& text) { return choices ? text : kUnknown; };
  table.add({name, fmt::format("{}", score.cells), fmt::format("{}", score.points),
             whole_percent(score.error), fmt::format("{:.2f}", score.bias),
             whole_percent(score.in_25), whole_percent(score.in_2x), share_text(score.in_range),
             of_choice(whole_percent(score.best)), of_choice(whole_percent(score.near)),
             of_choice(fmt::format("{:.3f}", score.loss)),
             of_choice(fmt::format("{:.1f}", score.worst)),
             score.loss_default ? fmt::format("{:.3f}", *score.loss_default) : kUnknown,
             of_choice(share_text(score.sure)), of_choice(share_text(score.sure_near))});
  add_missing(line, table);
}

// Returns the indices of the points in scored cells.
std::vector<std::size_t> scored_points(const ScoreReport& report) {
  std::vector<std::size_t> places;
  for (const ScoreCell& cell : report.cells.cells) {
    places.insert(places.end(), cell.points.begin(), cell.points.end());
  }
  return places;
}

// Returns the points that have a prediction, but are left out because others of their cell have
// none.
std::vector<std::size_t> beside_refused(const ScoreReport& report) {
  std::vector<std::size_t> places;
  for (const ScoreCell& cell : report.cells.cells) {
    const auto predicted = [&](std::size_t i) { return report.runs->predicted_s[i].has_value(); };
    if (!std::ranges::all_of(cell.points, predicted)) {
      std::ranges::copy_if(cell.points, std::back_inserter(places), predicted);
    }
  }
  return places;
}

// Returns the first of the points: "allreduce/8/16 ring, allreduce/16/16 ring and 19 more".
std::string points_in_words(const ScoreReport& report, const std::vector<std::size_t>& places) {
  constexpr std::size_t kMostShown = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(places.size(), kMostShown); ++k) {
    const BenchmarkPoint& point = (*report.points)[places[k]];
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", point.cell, point.algorithm_text);
  }
  return places.size() <= kMostShown
             ? text
             : fmt::format("{} and {} more", text, places.size() - kMostShown);
}

void print_far_off(const ScoreReport& report, std::ostream& out) {
  struct Miss {
    std::size_t place;
    double factor;
  };
  std::vector<Miss> misses;
  for (const std::size_t i : scored_points(report)) {
    if (const auto& predicted = report.runs->predicted_s[i]) {
      const double factor = *predicted / (*report.points)[i].measured_s;
      if (!(factor <= kOutlier && factor >= 1 / kOutlier)) {
        misses.push_back({i, factor});
      }
    }
  }
  std::ranges::stable_sort(misses, [](const Miss& a, const Miss& b) {
    return std::fabs(std::log(a.factor)) > std::fabs(std::log(b.factor));
  });
  if (misses.empty()) {
    return;
  }
  out << fmt::format("\nOff by a factor of more than {:g}\n", kOutlier);
  Table table({{"# cell"},
               {"algorithm"},
               {"measured us", true},
               {"predicted us", true},
               {"over measured", true},
               {"p90/min", true, 1}});
  constexpr double kMicro = 1e6;
  for (const Miss& miss : misses) {
    const BenchmarkPoint& point = (*report.points)[miss.place];
    table.add({point.cell, point.algorithm_text, fmt::format("{:.3f}", point.measured_s * kMicro),
               fmt::format("{:.3f}", *report.runs->predicted_s[miss.place] * kMicro),
               fmt::format("{:.2f}", miss.factor),
               point.spread() ? fmt::format("{:.2f}", *point.spread()) : kUnknown});
  }
  table.print(out, 0);
}

void print_refused(const ScoreReport& report, std::ostream& out) {
  bool any = false;
  for (const std::size_t i : scored_points(report)) {
    if (const std::string& why = report.runs->why_not[i]; !why.empty()) {
      out << (any ? "" : "\nNot predicted\n");
      any = true;
      const BenchmarkPoint& point = (*report.points)[i];
      print_field(out, 2, 0, "",
                  fmt::format("{}, {}: {}", point.cell, point.algorithm_text, with_fields(why)));
    }
  }
}

}  // namespace

void print_scores(const ScoreReport& report, std::ostream& out) {
  const bool sure = report.sure.has_value();
  Table table({{"#"},
               {"cells", true},
               {"points", true, 1},
               {"error", true},
               {"bias", true},
               {"in 25%", true},
               {"in 2x", true, 2},
               {"in range", true, 0, sure},
               {"best", true},
               {"in 10%", true},
               {"loss", true},
               {"worst", true, 3},
               {"default", true, 4},
               {"sure", true, 0, sure},
               {"sure in 10%", true, 0, sure}});
  std::string group;
  for (const ScoreLine& line : report.lines) {
    if (line.group != group) {
      group = line.group;
      const auto shown = std::ranges::find_if(
          score_groups(), [&](const ScoreGroup& each) { return each.name == group; });
      table.add_line(shown->title, 0);
    }
    add_line(line, report.cells.choices, table);
  }
  table.print(out, 0);
  print_field(out, 0, 2, "#",
              "error: median factor between predicted and measured, less 1; bias: median of "
              "predicted over measured; best: cells whose fastest algorithm is predicted "
              "correctly; in 10%: cells whose predicted algorithm is at most 10 % slower than the "
              "fastest; loss: time of the predicted algorithm over the best, geometric mean; "
              "worst: largest loss; default: loss of the library's own choice");
  if (report.sure) {
    print_field(out, 0, 2, "#",
                fmt::format("in range: points whose measured time lies in the range that has a "
                            "probability of {0}; sure: cells whose predicted algorithm has a "
                            "probability of at least {0} to take at most 10 % more than the "
                            "fastest; sure in 10%: those of these cells in which it does",
                            fmt::format("{:g} %", 100 * report.sure->level)));
  }
  if (!report.cells.choices) {
    print_field(out, 0, 2, "#", "no cell has two algorithms, so there is nothing to choose");
  } else if (!report.cells.alone.empty()) {
    print_field(out, 0, 2, "#",
                fmt::format("left out: {} without another algorithm in {} cell, so that there is "
                            "nothing to choose: {}; score {} alone to see {} error",
                            counted(report.cells.alone.size(), "point"),
                            report.cells.alone.size() == 1 ? "its" : "their",
                            points_in_words(report, report.cells.alone),
                            report.cells.alone.size() == 1 ? "it" : "them",
                            report.cells.alone.size() == 1 ? "its" : "their"));
  }
  if (const std::vector<std::size_t> beside = beside_refused(report); !beside.empty()) {
    print_field(out, 0, 2, "#",
                fmt::format("left out: {} in cells in which another algorithm is not predicted: {}",
                            counted(beside.size(), "point"), points_in_words(report, beside)));
  }
  print_far_off(report, out);
  print_refused(report, out);
}

namespace { namespace score_fields {

// A point, and what a report has about it.
struct Point {
  const ScoreReport& report;
  std::size_t place;

  [[nodiscard]] const BenchmarkPoint& point() const { return (*report.points)[place]; }
  [[nodiscard]] const std::optional<double>& predicted_s() const {
    return report.runs->predicted_s[place];
  }
  // Value of a field that only reports with --sure have.
  template <typename ValueOf>
  [[nodiscard]] std::optional<std::optional<double>> if_sure(const ValueOf& value_of) const {
    return report.sure ? std::optional<std::optional<double>>(value_of(*report.sure))
                       : std::nullopt;
  }
  [[nodiscard]] std::optional<std::optional<double>> range(double TimeRange::*end) const {
    return if_sure([&](const SurePoints& sure) {
      const std::optional<TimeRange>& of_point = sure.ranges[place];
      return of_point ? std::optional((*of_point).*end) : std::nullopt;
    });
  }
};

std::vector<Point> points_of(const ScoreReport& report) {
  std::vector<Point> points;
  for (const std::size_t place : scored_points(report)) {
    points.push_back({report, place});
  }
  return points;
}

constexpr double kShareLimit = 1.000001;

constexpr auto kPoint = fields<Point>({
    {"cell", [](const Point& of) -> const auto& { return of.point().cell; }},
    {"machine", [](const Point& of) -> const auto& { return of.point().machine; },
     "Name of the machine. Empty if unknown."},
    {"job", [](const Point& of) -> const auto& { return of.point().job; }},
    {"collective", [](const Point& of) { return name(of.point().collective); }},
    {"ranks", [](const Point& of) { return of.point().ranks; }, at_least(1)},
    {"nodes", [](const Point& of) { return of.point().nodes; }, at_least(1)},
    {"bytes", [](const Point& of) { return of.point().bytes; }},
    {"algorithm", [](const Point& of) -> const auto& { return of.point().algorithm_text; },
     "Algorithm with its options, as in the file of points."},
    {"measured_s", [](const Point& of) { return of.point().measured_s; }},
    {"predicted_s", [](const Point& of) { return of.predicted_s(); },
     "Predicted time. null if the algorithm refused the problem."},
    {"predicted_over_measured",
     [](const Point& of) {
       return of.predicted_s() ? std::optional(*of.predicted_s() / of.point().measured_s)
                               : std::nullopt;
     }},
    {"p90_over_min", [](const Point& of) { return of.point().spread(); },
     "How much the repetitions differed: the 90th percentile of their times over the shortest. "
     "null if unknown."},
    {"low_s", [](const Point& of) { return of.range(&TimeRange::low_s); },
     "Only with --sure: the range of the time, which has the probability `level`, begins here. "
     "null if there is no prediction."},
    {"high_s", [](const Point& of) { return of.range(&TimeRange::high_s); }},
    {"chance_in_10",
     [](const Point& of) {
       return of.if_sure([&](const SurePoints& sure) { return sure.chances[of.place]; });
     },
     at_most(kShareLimit),
     "Only with --sure: probability that the algorithm takes at most 10 % more time than the "
     "fastest of the cell. null if an algorithm of the cell has no prediction."},
});

// A score, with the values of its fields that are known.
struct Line {
  const ScoreReport& report;
  const ScoreLine& line;
  Score score;

  // Nothing if there is no cell.
  [[nodiscard]] std::optional<double> figure(double Score::*value) const {
    return value_if(score.cells > 0, score.*value);
  }
  // The same for scores of choices.
  [[nodiscard]] std::optional<double> choice(double Score::*value) const {
    return report.cells.choices ? figure(value) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::optional<double>> if_sure(
      const std::optional<double>& value) const {
    return value_if(report.sure.has_value(), value);
  }
  [[nodiscard]] std::optional<std::optional<double>> sure_choice(
      const std::optional<double>& value) const {
    return if_sure(report.cells.choices ? value : std::nullopt);
  }
};

std::vector<Line> lines_of(const ScoreReport& report) {
  std::vector<Line> lines;
  for (const ScoreLine& line : report.lines) {
    lines.push_back({report, line, line.score.value_or(Score())});
  }
  return lines;
}

constexpr auto kLine = fields<Line>({
    {"group", [](const Line& of) -> const auto& { return of.line.group; },
     "Property by which cells are grouped, such as collective. Empty for the score of all cells."},
    {"value", [](const Line& of) -> const auto& { return of.line.value; }},
    {"cells", [](const Line& of) { return of.score.cells; },
     "Number of cells. A cell is one job, collective, number of ranks and size."},
    {"points", [](const Line& of) { return of.score.points; }},
    {"missing", [](const Line& of) { return of.score.missing; },
     "Number of cells that lack a prediction. `cells` does not include them."},
    {"error", [](const Line& of) { return of.figure(&Score::error); },
     "Median factor between predicted and measured times, less 1."},
    {"bias", [](const Line& of) { return of.figure(&Score::bias); },
     "Median of predicted over measured times."},
    {"in_25", [](const Line& of) { return of.figure(&Score::in_25); }, at_most(kShareLimit),
     "Share of points whose prediction is off by a factor of at most 1.25."},
    {"in_2x", [](const Line& of) { return of.figure(&Score::in_2x); }, at_most(kShareLimit),
     "Share of points whose prediction is off by a factor of at most 2."},
    {"best", [](const Line& of) { return of.choice(&Score::best); }, at_most(kShareLimit),
     "Share of cells whose fastest algorithm is predicted correctly."},
    {"in_10", [](const Line& of) { return of.choice(&Score::near); }, at_most(kShareLimit),
     "Share of cells whose predicted algorithm takes at most 10 % more time than the fastest."},
    {"loss", [](const Line& of) { return of.choice(&Score::loss); },
     "Measured time of the predicted algorithm over that of the fastest, as the geometric mean "
     "over the cells."},
    {"worst", [](const Line& of) { return of.choice(&Score::worst); }, "Largest of these ratios."},
    {"default", [](const Line& of) { return of.score.loss_default; },
     "The same as `loss` for the library's own choice, over the cells in which it was measured. "
     "null if there are none."},
    {"in_range", [](const Line& of) { return of.if_sure(of.score.in_range); }, at_most(kShareLimit),
     "Only with --sure: share of points whose measured time lies in its range."},
    {"sure", [](const Line& of) { return of.sure_choice(of.score.sure); }, at_most(kShareLimit),
     "Only with --sure: share of cells whose predicted algorithm has at least the probability "
     "`level` to take at most 10 % more time than the fastest."},
    {"sure_in_10", [](const Line& of) { return of.sure_choice(of.score.sure_near); },
     at_most(kShareLimit),
     "Only with --sure: the same as `in_10` over the cells that `sure` counts. null if there are "
     "none."},
});

struct LeftOutPoint {
  const BenchmarkPoint& point;
  std::string_view why;
};

std::vector<LeftOutPoint> left_out(const ScoreReport& report) {
  std::vector<LeftOutPoint> points;
  for (const std::size_t i : report.cells.alone) {
    points.push_back({(*report.points)[i], "there is no other algorithm in its cell"});
  }
  for (const std::size_t i : beside_refused(report)) {
    points.push_back({(*report.points)[i], "another algorithm of its cell is not predicted"});
  }
  return points;
}

constexpr auto kLeftOut = fields<LeftOutPoint>({
    {"cell", [](const LeftOutPoint& of) -> const auto& { return of.point.cell; }},
    {"algorithm", [](const LeftOutPoint& of) -> const auto& { return of.point.algorithm_text; }},
    {"why", member<&LeftOutPoint::why>},
});

constexpr auto kScore = fields<ScoreReport>({
    {"level",
     [](const ScoreReport& of) { return of.sure ? std::optional(of.sure->level) : std::nullopt; },
     at_most(1) | absent, "Only with --sure: the probability of the ranges."},
    {"scores", kLine, from<lines_of>,
     "Score of all cells, then the scores for each value of each group. Figures are null if there "
     "is no cell, and those of choices also if no cell has several algorithms."},
    {"points", kPoint, from<points_of>},
    {"left_out", kLeftOut, from<left_out>, added_later, "Points that count in no score."},
});

}}  // namespace ::score_fields

extern const DocumentOf<ScoreReport> kScoreDocument{
    {"tutti-score/1",
     "simulated times compared with measured times, as written by tutti score --json",
     score_fields::kScore.view()}};

void write_points_csv(const ScoreReport& report, std::ostream& out) {
  write_csv_head(out);
  const FieldView columns = score_fields::kPoint.view();
  bool first = true;
  for (const score_fields::Point& point : score_fields::points_of(report)) {
    if (std::exchange(first, false)) {
      out << csv_names_line(columns, &point);
    }
    out << csv_values_line(columns, &point);
  }
}

}}  // namespace tutti::output
