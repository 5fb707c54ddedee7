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
#include "src/output/common_fields.hpp"
#include "src/requests/message_file.hpp"

namespace tutti { inline namespace output {

namespace {

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

void print_left_out(const std::vector<SplitFit>& left_out, std::ostream& out) {
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
  for (const SplitFit& each : left_out) {
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

namespace { namespace fit_fields {

constexpr double kCorrelationLimit = 1.000001;

constexpr auto kAlike = fields<AlikeParameters>({
    {"parameters", member<&AlikeParameters::names>},
    {"eigenvalue", member<&AlikeParameters::eigenvalue>,
     "Eigenvalue of the scaled normal matrix. It is 1 for independent parameters and near 0 for "
     "parameters that the points do not distinguish."},
    {"correlation", member<&AlikeParameters::correlation>,
     between(-kCorrelationLimit, kCorrelationLimit),
     "Correlation of the estimates of the first two parameters."},
});

constexpr auto kScore =
    fields<Score>("The scores that tutti score computes. null if there is no cell to score.",
                  {
                      {"cells", member<&Score::cells>},
                      {"points", member<&Score::points>},
                      {"error", member<&Score::error>},
                      {"bias", member<&Score::bias>},
                      {"best", member<&Score::best>},
                      {"in_10", member<&Score::near>},
                      {"loss", member<&Score::loss>},
                      {"worst", member<&Score::worst>},
                      {"default", member<&Score::loss_default>},
                  });

const Score* score_if_any(const std::optional<Score>& score) {
  return score && score->cells > 0 ? &*score : nullptr;
}

constexpr auto kFigure = fields<FittedFigure>({
    {"name", [](const FittedFigure& of) { return of.parameter->name; }},
    {"unit", [](const FittedFigure& of) { return of.parameter->unit; }},
    {"start", member<&FittedFigure::start>},
    {"fitted", member<&FittedFigure::fitted>},
    {"low", member<&FittedFigure::low>, "Lower bound of the 95 % confidence interval."},
    {"high", member<&FittedFigure::high>},
});

constexpr auto kKept = fields<KeptParameter>({
    {"name", [](const KeptParameter& of) { return of.parameter->name; }},
    {"unit", [](const KeptParameter& of) { return of.parameter->unit; }},
    {"value", member<&KeptParameter::value>, any_sign},
    {"why", member<&KeptParameter::why>},
});

using Fold = PartOf<FitReport, SplitFit>;
constexpr std::array<std::string_view, 2> kFolds{"to", "without"};

std::vector<std::pair<std::string, double>> fitted_values(const Fold& of) {
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t j = 0; j < of.part.fitted.size(); ++j) {
    values.emplace_back(of.whole.fit.figures[j].parameter->name, of.part.fitted[j]);
  }
  return values;
}

constexpr auto kFold = fields<Fold>({
    {"fitted", [](const Fold& of) { return kFolds[of.part.without ? 1 : 0]; }, one_of(kFolds),
     "to: fitted to this job alone. without: fitted to all other jobs."},
    {"job", [](const Fold& of) -> const auto& { return of.part.job; }},
    {"refused", [](const Fold& of) { return text_if_any(of.part.refused); },
     "Why there is no fit. null if there is one."},
    {"parameters", from<fitted_values>},
    {"on", kScore, [](const Fold& of) { return score_if_any(of.part.on); },
     "Score on the points to which the parameters were fitted."},
    {"off", kScore, [](const Fold& of) { return score_if_any(of.part.off); },
     "Score on the other points."},
});

constexpr auto kFit = fields<FitReport>({
    {"points", [](const FitReport& of) { return of.fit.points; }, at_least(1),
     "Number of points to which the parameters were fitted."},
    {"spread_only", member<&FitReport::spread_only>,
     "Number of further points, which count only for the spread."},
    {"jobs", member<&FitReport::jobs>},
    {"cells", member<&FitReport::cells>,
     "Names of the cells that the fit used, with those of --spread-only. tutti score --leave-out "
     "reads them from this file."},
    {"steps", [](const FitReport& of) { return of.fit.steps; }},
    {"at_rest", [](const FitReport& of) { return of.fit.at_rest; },
     "True if the fit has converged, so that another step would change almost nothing."},
    {"error_before", [](const FitReport& of) { return of.fit.error_before; },
     "Median factor between predicted and measured times, less 1, before the fit. `error` is the "
     "same after the fit."},
    {"error", [](const FitReport& of) { return of.fit.error; }},
    {"spread", kSpreadFields,
     [](const FitReport& of) -> const ModelUncertainty& { return of.fit.uncertainty; },
     "How far measured times lie from predicted ones, beyond the uncertainty of the parameters: "
     "standard deviations of natural logarithms, as in tutti-messages/1."},
    {"parameters", kFigure, [](const FitReport& of) -> const auto& { return of.fit.figures; }},
    {"kept", kKept, member<&FitReport::kept>, added_later,
     "Parameters that were to be fitted, but have their start values, because no point depends on "
     "them."},
    {"alike", kAlike, [](const FitReport& of) -> const auto& { return of.fit.alike; },
     "Sets of parameters that the points hardly distinguish."},
    {"left_out", kFold, [](const FitReport& of) { return parts_of(of, of.left_out); },
     "Fits to some of the jobs. Empty unless --leave-out-jobs is given."},
});

}}  // namespace ::fit_fields

FieldView alike_fields() { return fit_fields::kAlike.view(); }

extern const DocumentOf<FitReport> kFitDocument{
    {"tutti-fit/1", "results of a fit of message parameters, as written by tutti fit --json",
     fit_fields::kFit.view()}};

}}  // namespace tutti::output
