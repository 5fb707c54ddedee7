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
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", point.cell, point.asked);
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
    table.add({point.cell, point.asked, fmt::format("{:.3f}", point.measured_s * kMicro),
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
                  fmt::format("{}, {}: {}", point.cell, point.asked, with_fields(why)));
    }
  }
}

using Json = nlohmann::ordered_json;

// `sure` may be null.
Json point_json(const BenchmarkPoint& point, const std::optional<double>& predicted_s,
                const SurePoints* sure, std::size_t place) {
  Json json{
      {"cell", point.cell},
      {"machine", point.machine},
      {"job", point.job},
      {"collective", name(point.collective)},
      {"ranks", point.ranks},
      {"nodes", or_null(point.nodes)},
      {"bytes", point.bytes},
      {"algorithm", point.asked},
      {"measured_s", point.measured_s},
      {"predicted_s", or_null(predicted_s)},
      {"predicted_over_measured", predicted_s ? Json(*predicted_s / point.measured_s) : Json()},
      {"p90_over_min", or_null(point.spread())}};
  if (sure != nullptr) {
    const std::optional<TimeRange>& range = sure->ranges[place];
    json["low_s"] = range ? Json(range->low_s) : Json();
    json["high_s"] = range ? Json(range->high_s) : Json();
    json["chance_in_10"] = or_null(sure->chances[place]);
  }
  return json;
}

Json point_json(const ScoreReport& report, std::size_t place) {
  return point_json((*report.points)[place], report.runs->predicted_s[place],
                    report.sure ? &*report.sure : nullptr, place);
}

Json score_json(const ScoreLine& line, bool choices, bool sure) {
  Json json{{"group", line.group}, {"value", line.value}};
  const Score score = line.score.value_or(Score());
  json["cells"] = score.cells;
  json["points"] = score.points;
  json["missing"] = score.missing;
  const auto put = [&](const char* key, double value, bool is_known) {
    json[key] = is_known ? Json(value) : Json();
  };
  const bool any = score.cells > 0;
  put("error", score.error, any);
  put("bias", score.bias, any);
  put("in_25", score.in_25, any);
  put("in_2x", score.in_2x, any);
  put("best", score.best, any && choices);
  put("in_10", score.near, any && choices);
  put("loss", score.loss, any && choices);
  put("worst", score.worst, any && choices);
  json["default"] = or_null(score.loss_default);
  if (sure) {
    json["in_range"] = or_null(score.in_range);
    json["sure"] = choices ? or_null(score.sure) : Json();
    json["sure_in_10"] = choices ? or_null(score.sure_near) : Json();
  }
  return json;
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

void write_score_json(const ScoreReport& report, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-score/1";
  if (report.sure) {
    json["level"] = report.sure->level;
  }
  json["scores"] = json_array(report.lines, [&](const ScoreLine& line) {
    return score_json(line, report.cells.choices, report.sure.has_value());
  });
  json["points"] =
      json_array(scored_points(report), [&](std::size_t i) { return point_json(report, i); });
  Json left_out = Json::array();
  const auto add = [&](const std::vector<std::size_t>& places, const char* why) {
    for (const std::size_t i : places) {
      const BenchmarkPoint& point = (*report.points)[i];
      left_out.push_back({{"cell", point.cell}, {"algorithm", point.asked}, {"why", why}});
    }
  };
  add(report.cells.alone, "there is no other algorithm in its cell");
  add(beside_refused(report), "another algorithm of its cell is not predicted");
  json["left_out"] = std::move(left_out);
  write_document(json, 2, out);
}

void write_points_csv(const ScoreReport& report, std::ostream& out) {
  write_csv_head(out);
  const std::vector<std::size_t> places = scored_points(report);
  out << csv_names_line(point_json(report, places.front()));
  for (const std::size_t i : places) {
    const Json values = point_json(report, i);
    out << csv_values_line(values, values);
  }
}

}}  // namespace tutti::output
