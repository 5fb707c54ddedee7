#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/output/score_text.hpp"

namespace tutti::inline output {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json point_json(const BenchmarkPoint& point, const std::optional<double>& predicted_s) {
  return {{"cell", point.cell},
          {"machine", point.machine},
          {"job", point.job},
          {"collective", name(point.collective)},
          {"ranks", point.ranks},
          {"nodes", known(point.nodes)},
          {"bytes", point.bytes},
          {"algorithm", point.asked},
          {"measured_s", point.measured_s},
          {"predicted_s", known(predicted_s)},
          {"predicted_over_measured", predicted_s ? Json(*predicted_s / point.measured_s) : Json()},
          {"p90_over_min", known(point.spread())}};
}

Json score_json(const ScoreLine& line, bool choices) {
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
  json["default"] = known(score.loss_default);
  return json;
}

}  // namespace

void write_score_json(const ScoreReport& report, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-score/1";
  json["scores"] = Json::array();
  for (const ScoreLine& line : report.lines) {
    json["scores"].push_back(score_json(line, report.cells.choices));
  }
  json["points"] = Json::array();
  for (const ScoreCell& cell : report.cells.cells) {
    for (const std::size_t i : cell.points) {
      json["points"].push_back(point_json((*report.points)[i], report.runs->predicted_s[i]));
    }
  }
  out << json_text(json, 2) << '\n';
}

void write_points_csv(const ScoreReport& report, std::ostream& out) {
  const Json names = point_json({}, std::nullopt);
  out << csv_names_line(names);
  for (const ScoreCell& cell : report.cells.cells) {
    for (const std::size_t i : cell.points) {
      out << csv_values_line(names, point_json((*report.points)[i], report.runs->predicted_s[i]));
    }
  }
}

}  // namespace tutti::inline output
