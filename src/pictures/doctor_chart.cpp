// Draws measured times beside expected ones, and lists them with what is noticeable.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/human.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/curves_drawing.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

// A column of times in a diagnosis, and how it is drawn.
struct DiagnosisCurve {
  const char* key;
  const char* label;
  std::size_t colour;
  bool is_limit;
};
constexpr std::array kDiagnosisCurves{
    DiagnosisCurve{"measured_s", "measured", 0, false},
    DiagnosisCurve{"expected_low_s", "expected, shortest", 2, false},
    DiagnosisCurve{"expected_high_s", "expected, longest", 2, false},
    DiagnosisCurve{"limit_s", "limit", kSeriesColours, true},
};

std::string title_of_output(const Json& output) {
  return fmt::format("{} on {}, {}", output.at("collective").get<std::string>(),
                     counted(output.at("ranks").get<std::uint32_t>(), "rank"),
                     output.at("file").get<std::string>());
}

bool is_off(const Json& row) { return row.at("verdict") == "slow" || row.at("verdict") == "low"; }

DataCell microseconds(const Json& seconds) {
  return seconds.is_number() ? DataCell{seconds.get<double>() * 1e6,
                                        fmt::format("{:.5g}", seconds.get<double>() * 1e6)}
                             : DataCell{};
}

DataCell with_decimals(const Json& number) {
  return number.is_number()
             ? DataCell{number.get<double>(), fmt::format("{:.2f}", number.get<double>())}
             : DataCell{};
}

DataCell text_cell(const Json& text) {
  return {std::nullopt, text.is_string() ? text.get<std::string>() : std::string()};
}

}  // namespace

Picture doctor_chart(const Json& output, double width) {
  std::vector<Curve> curves;
  std::vector<std::uint64_t> sizes;
  std::string csv = "bytes,measured_s,expected_low_s,expected_high_s,limit_s,verdict\n";
  Curve off{"slower than expected", {}, 1};
  off.squares_only = true;
  off.squares = "slower than expected";
  for (const Json& row : output.at("rows")) {
    sizes.push_back(row.at("bytes").get<std::uint64_t>());
    if (is_off(row)) {
      off.points.emplace_back(row.at("bytes").get<double>(), row.at("measured_s").get<double>());
    }
    const auto value = [&](const char* key) {
      return row.at(key).is_number() ? fmt::format("{}", row.at(key).get<double>()) : std::string();
    };
    csv += fmt::format("{},{},{},{},{},{}\n", sizes.back(), value("measured_s"),
                       value("expected_low_s"), value("expected_high_s"), value("limit_s"),
                       row.at("verdict").get<std::string>());
  }
  for (std::size_t i = 0; i < kDiagnosisCurves.size(); ++i) {
    const DiagnosisCurve& each = kDiagnosisCurves[i];
    Curve curve{each.label, {}, each.colour};
    curve.dots = i == 0;
    curve.is_limit = each.is_limit;
    for (const Json& row : output.at("rows")) {
      if (row.at(each.key).is_number()) {
        curve.points.emplace_back(row.at("bytes").get<double>(), row.at(each.key).get<double>());
      }
    }
    if (!curve.points.empty()) {
      curves.push_back(std::move(curve));
    }
  }
  if (!off.points.empty()) {
    curves.insert(curves.begin() + 1, std::move(off));
  }
  Picture picture = begun("doctor", fmt::format("doctor {}", title_of_output(output)),
                          fmt::format("Measured and expected: {}", title_of_output(output)), width);
  picture.csv = std::move(csv);
  picture.alt = fmt::format("Time over size, both logarithmic: {}. {}", picture.title,
                            output.at("headline").get<std::string>());
  draw_curves(picture, std::move(curves), sizes, {});
  return picture;
}

std::vector<DataTable> doctor_tables(const Json& output) {
  DataTable rows{"times", title_of_output(output), {}};
  const bool pairs = output.at("is_of_pairs").get<bool>();
  rows.columns = {{"size", "", true},
                  {"measured", "us", true},
                  {pairs ? "printed" : "algbw", "GB/s", true},
                  {pairs ? "one way" : "busbw", "GB/s", true},
                  {"expected, shortest", "us", true},
                  {"expected, longest", "us", true},
                  {"limit", "us", true},
                  {"ratio", "", true},
                  {"verdict", "", false},
                  {"would run", "", false}};
  for (const Json& row : output.at("rows")) {
    const auto bytes = row.at("bytes").get<std::uint64_t>();
    rows.rows.push_back({{static_cast<double>(bytes), human_bytes(bytes)},
                         microseconds(row.at("measured_s")),
                         with_decimals(row.at("algbw_gb_per_s")),
                         with_decimals(row.at("busbw_gb_per_s")),
                         microseconds(row.at("expected_low_s")),
                         microseconds(row.at("expected_high_s")),
                         microseconds(row.at("limit_s")),
                         with_decimals(row.at("ratio")),
                         text_cell(row.at("verdict")),
                         text_cell(row.at("choice"))});
  }
  return {std::move(rows), symptoms_table(output.at("symptoms"), "What is noticeable")};
}

DataTable symptoms_table(const Json& symptoms, const std::string& title) {
  DataTable table{"symptoms", title, {}};
  table.columns = {
      {"what", "", false}, {"sure", "", false}, {"look at", "", false}, {"command", "", false}};
  for (const Json& each : symptoms) {
    table.rows.push_back({text_cell(each.at("text")), text_cell(each.at("sureness")),
                          text_cell(each.at("look_at")), text_cell(each.at("command"))});
  }
  return table;
}

}}  // namespace tutti::pictures
