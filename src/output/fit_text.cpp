#include "src/output/fit_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "src/experiments/fit/fit_spread.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/requests/message_file.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::string in_percent(double share) { return fmt::format("{:.1f}%", share * 100); }

// Returns a standard deviation of logarithms as that of the time: 0.2 as "22.1%".
std::string factor_percent(double spread) { return in_percent(std::expm1(spread)); }

void print_alike(const AlikeParameters& alike, std::ostream& out) {
  if (alike.names.size() < 2) {
    return;
  }
  print_field(out, 2, 0, "",
              fmt::format("{}: the estimates of the first two have correlation {:.3f}; the "
                          "eigenvalue of the scaled normal matrix is {:.2g}",
                          fmt::join(alike.names, ", "), alike.correlation, alike.eigenvalue));
}

void print_wide(const MessageFitResult& fit, std::ostream& out) {
  constexpr double kMost = 1000;
  std::vector<std::string> wide;
  for (const FittedFigure& each : fit.figures) {
    if (each.high > kWideBounds * each.low) {
      const double factor = each.high / each.low;
      wide.push_back(fmt::format("{} (the upper bound is {} the lower one)", each.parameter->name,
                                 factor > kMost ? fmt::format("more than {:.0f} times", kMost)
                                                : fmt::format("{:.0f} times", factor)));
    }
  }
  if (!wide.empty()) {
    out << "\nHardly determined by the points\n";
    print_field(out, 2, 0, "", fmt::format("{}", fmt::join(wide, ", ")));
  }
}

void print_left_out(const std::vector<LeftOut>& left_out, std::ostream& out) {
  if (left_out.empty()) {
    return;
  }
  out << "\nJobs left out\n";
  Table table({{"# fitted"},
               {"job"},
               {"fit error", true, 1},
               {"other points", true, 2},
               {"error", true},
               {"bias", true},
               {"in 10%", true},
               {"loss", true},
               {"default", true, 3}});
  for (const LeftOut& each : left_out) {
    const std::string how = each.without ? "without" : "to";
    if (!each.refused.empty() || !each.on || !each.off) {
      table.add({how, each.job, "-", "-", "-", "-", "-", "-", "-"});
      table.add_line(each.refused);
      continue;
    }
    table.add({how, each.job, in_percent(each.on->error), fmt::format("{}", each.off->points),
               in_percent(each.off->error), fmt::format("{:.2f}", each.off->bias),
               in_percent(each.off->near), fmt::format("{:.3f}", each.off->loss),
               each.off->loss_default ? fmt::format("{:.3f}", *each.off->loss_default) : "-"});
  }
  table.print(out, 0);
  print_field(
      out, 0, 2, "#",
      "error, bias, in 10% and loss: as in 'tutti score', for the points that were not fitted");
}

Json score_json(const std::optional<Score>& score) {
  if (!score || score->cells == 0) {
    return {};
  }
  return {{"cells", score->cells},
          {"points", score->points},
          {"error", score->error},
          {"bias", score->bias},
          {"best", score->best},
          {"in_10", score->near},
          {"loss", score->loss},
          {"worst", score->worst},
          {"default", or_null(score->loss_default)}};
}

}  // namespace

void print_alike_parameters(const std::vector<AlikeParameters>& alike, std::string_view by,
                            std::ostream& out) {
  if (!alike.empty()) {
    out << fmt::format("\nHardly distinguished by the {}\n", by);
    for (const AlikeParameters& each : alike) {
      print_alike(each, out);
    }
  }
}

Json alike_json(const std::vector<AlikeParameters>& alike) {
  Json json = Json::array();
  for (const AlikeParameters& each : alike) {
    json.push_back({{"parameters", each.names},
                    {"eigenvalue", each.eigenvalue},
                    {"correlation", each.correlation}});
  }
  return json;
}

void print_fit(const FitReport& report, std::ostream& out) {
  const MessageFitResult& fit = report.fit;
  out << fmt::format("fit of {} to {} of {}: {}\n", counted(fit.figures.size(), "parameter"),
                     counted(fit.points, "point"), counted(report.jobs.size(), "job"),
                     counted(fit.steps, "step"));
  out << fmt::format("median error {}, at the start {}\n\n", in_percent(fit.error),
                     in_percent(fit.error_before));
  Table table({{"# parameter"},
               {"unit"},
               {"start", true},
               {"fitted", true},
               {"95 % from", true},
               {"to", true}});
  for (const FittedFigure& each : fit.figures) {
    table.add({std::string(each.parameter->name), std::string(each.parameter->unit),
               fmt::format("{:.4g}", each.start), fmt::format("{:.4g}", each.fitted),
               fmt::format("{:.4g}", each.low), fmt::format("{:.4g}", each.high)});
  }
  table.print(out, 0);
  const ModelUncertainty& uncertainty = fit.uncertainty;
  out << '\n';
  print_field(
      out, 0, 0, "",
      fmt::format(
          "spread beyond these intervals: {} between jobs ({}), {} between times of a cell{}",
          factor_percent(uncertainty.job_spread),
          uncertainty.jobs > 0 ? fmt::format("from {}", counted(uncertainty.jobs, "job"))
                               : fmt::format("the default, for fewer than {} jobs", kFewestJobs),
          factor_percent(uncertainty.point_spread),
          report.spread_only > 0
              ? fmt::format("; {} only for this spread", counted(report.spread_only, "more point"))
              : ""));
  if (!report.kept.empty()) {
    out << "\nNot fitted\n";
    for (const KeptParameter& each : report.kept) {
      print_field(
          out, 2, 0, "",
          fmt::format("{} kept at {:.4g}{}{}: {}", each.parameter->name, each.value,
                      each.parameter->unit.empty() ? "" : " ", each.parameter->unit, each.why));
    }
  }
  print_wide(fit, out);
  print_alike_parameters(fit.alike, "points", out);
  print_left_out(report.left_out, out);
}

void write_fit_json(const FitReport& report, std::ostream& out) {
  const MessageFitResult& fit = report.fit;
  Json json;
  json["schema"] = "tutti-fit/1";
  json["points"] = fit.points;
  json["spread_only"] = report.spread_only;
  json["jobs"] = report.jobs;
  json["cells"] = report.cells;
  json["steps"] = fit.steps;
  json["at_rest"] = fit.at_rest;
  json["error_before"] = fit.error_before;
  json["error"] = fit.error;
  json["spread"] = spread_json(fit.uncertainty);
  json["parameters"] = Json::array();
  for (const FittedFigure& each : fit.figures) {
    json["parameters"].push_back({{"name", each.parameter->name},
                                  {"unit", each.parameter->unit},
                                  {"start", each.start},
                                  {"fitted", each.fitted},
                                  {"low", each.low},
                                  {"high", each.high}});
  }
  json["kept"] = Json::array();
  for (const KeptParameter& each : report.kept) {
    json["kept"].push_back({{"name", each.parameter->name},
                            {"unit", each.parameter->unit},
                            {"value", each.value},
                            {"why", each.why}});
  }
  json["alike"] = alike_json(fit.alike);
  json["left_out"] = Json::array();
  for (const LeftOut& each : report.left_out) {
    Json entry{{"fitted", each.without ? "without" : "to"},
               {"job", each.job},
               {"refused", or_null(each.refused)}};
    entry["parameters"] = Json::object();
    for (std::size_t j = 0; j < each.fitted.size(); ++j) {
      entry["parameters"][std::string(fit.figures[j].parameter->name)] = each.fitted[j];
    }
    entry["on"] = score_json(each.on);
    entry["off"] = score_json(each.off);
    json["left_out"].push_back(std::move(entry));
  }
  write_document(json, 2, out);
}

}}  // namespace tutti::output
