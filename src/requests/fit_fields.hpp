// Reads and writes what the files of models with fitted parameters have in common. `Parameter`
// describes a parameter: its name, unit, member and limits.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/formats/document.hpp"
#include "src/requests/model_fit.hpp"
#include "src/simulation/fit_uncertainty.hpp"

namespace tutti { inline namespace requests {

namespace fit_fields {

constexpr auto kBounds = fields<FigureBounds>({
    {"low", member<&FigureBounds::low>},
    {"high", member<&FigureBounds::high>},
});

template <typename Uncertainty>
constexpr auto kSpread = fields<Uncertainty>(
    "How far measured times lie from predicted ones, beyond the uncertainty of the parameters: "
    "standard deviations of natural logarithms.",
    {
        {"job", [](const Uncertainty& of) { return of.job_spread; }, at_most(10),
         Uncertainty::kJob},
        {"point", [](const Uncertainty& of) { return of.point_spread; }, at_most(10),
         "Independent for each time."},
        {"jobs", [](const Uncertainty& of) { return of.jobs; }, at_most(kMostExactInteger),
         Uncertainty::kJobs},
    });

template <typename Uncertainty>
[[nodiscard]] std::vector<std::string_view> names_of(const Uncertainty& uncertainty) {
  std::vector<std::string_view> names;
  for (const auto* const parameter : uncertainty.parameters) {
    names.push_back(parameter->name);
  }
  return names;
}

template <typename Uncertainty>
[[nodiscard]] std::vector<std::vector<double>> rows_of(const Uncertainty& uncertainty) {
  const std::size_t size = uncertainty.parameters.size();
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = &uncertainty.covariance[i * size];
    rows.emplace_back(row, row + size);
  }
  return rows;
}

template <typename Uncertainty>
constexpr auto kUncertainty = fields<Uncertainty>({
    {"parameters", from<names_of<Uncertainty>>, items_up_to(100),
     "Names of the fitted parameters, in the order of the rows and columns of `covariance`."},
    {"covariance", from<rows_of<Uncertainty>>, between(-10000, 10000) | items_up_to(100),
     "Covariance matrix of the natural logarithms of the parameters."},
    {"spread", kSpread<Uncertainty>, [](const Uncertainty& of) -> const auto& { return of; }},
});

template <typename Uncertainty>
constexpr auto kFit = fields<ModelFit<Uncertainty>>({
    {"points", member<&ModelFit<Uncertainty>::points>, between(1, kMostExactInteger)},
    {"error", member<&ModelFit<Uncertainty>::error>,
     "Median factor between predicted and measured times, less 1."},
    {"parameters", kBounds,
     [](const ModelFit<Uncertainty>& fit) { return by_name(fit.parameters); },
     "95 % confidence interval of each fitted parameter, by name."},
    {"uncertainty", kUncertainty<Uncertainty>, member<&ModelFit<Uncertainty>::uncertainty>, absent,
     "How uncertain predictions are, which --sure needs."},
});

}  // namespace fit_fields

// Returns the parameter with this name. Throws UserError, which names the list of the document in
// which the name stands, and the nearest known name.
template <typename Parameter>
[[nodiscard]] const Parameter& parameter_named(std::span<const Parameter> all,
                                               const std::string& list, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Parameter::name);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Parameter& each : all) {
      names.emplace_back(each.name);
    }
    throw UserError(fmt::format("/{}/{}: {}", list, printable(name), accepted_words(name, names)));
  }
  return *found;
}

// Sets the values of `json`, an object that stands at `list` in the document. Throws UserError for
// an unknown parameter, and for a value out of its range.
template <typename Parameter, typename Model>
void set_values(std::span<const Parameter> all, const nlohmann::json& json, Model& model,
                const std::string& list = "parameters") {
  const auto with_unit = [](double value, std::string_view unit) {
    return unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, unit);
  };
  for (const auto& [name, number] : json.items()) {
    const Parameter& parameter = parameter_named(all, list, name);
    const auto value = number.template get<double>();
    if (parameter.unit == "count" && value != std::floor(value)) {
      throw UserError(fmt::format("/{}/{} is {:g}; it must be a whole number", list, name, value));
    }
    if (!(value >= parameter.least && value <= parameter.most)) {
      throw UserError(fmt::format("/{}/{} is {:g}; it must be from {} to {}", list, name, value,
                                  with_unit(parameter.least, parameter.unit),
                                  with_unit(parameter.most, parameter.unit)));
    }
    model.*parameter.value = value;
  }
}

// Returns the sources in `json`, an object, by parameter. Throws UserError for an unknown
// parameter.
template <typename Parameter>
[[nodiscard]] std::map<std::string, std::string> sources_from(std::span<const Parameter> all,
                                                              const nlohmann::json& json) {
  std::map<std::string, std::string> sources;
  for (const auto& [name, source] : json.items()) {
    sources[std::string(parameter_named(all, "sources", name).name)] =
        source.template get<std::string>();
  }
  return sources;
}

// Reads what kFit writes. Throws UserError for an unknown parameter, and for an invalid covariance
// matrix.
template <typename Uncertainty, typename Parameter>
[[nodiscard]] ModelFit<Uncertainty> fit_from(std::span<const Parameter> all,
                                             const nlohmann::json& json) {
  ModelFit<Uncertainty> fit;
  json.at("points").get_to(fit.points);
  json.at("error").get_to(fit.error);
  for (const auto& [name, bounds] : json.at("parameters").items()) {
    fit.parameters.push_back({std::string(parameter_named(all, "fit/parameters", name).name),
                              bounds.at("low").template get<double>(),
                              bounds.at("high").template get<double>()});
  }
  if (!json.contains("uncertainty")) {
    return fit;
  }
  Uncertainty& found = fit.uncertainty.emplace();
  const nlohmann::json& uncertainty = json.at("uncertainty");
  for (const nlohmann::json& each : uncertainty.at("parameters")) {
    const auto name = each.get<std::string>();
    const Parameter& parameter = parameter_named(all, "fit/uncertainty/parameters", name);
    if (std::ranges::find(found.parameters, &parameter) != found.parameters.end()) {
      throw UserError(fmt::format("/fit/uncertainty/parameters: '{}' appears twice", name));
    }
    found.parameters.push_back(&parameter);
  }
  const std::size_t size = found.parameters.size();
  for (const nlohmann::json& row : uncertainty.at("covariance")) {
    for (const nlohmann::json& value : row) {
      found.covariance.push_back(value.get<double>());
    }
    if (row.size() != size) {
      found.covariance.clear();
      break;
    }
  }
  if (root_of(found.covariance, size).size() != size * size || size == 0) {
    throw UserError(
        fmt::format("/fit/uncertainty/covariance: must be a symmetric positive semidefinite matrix "
                    "with {}, one for each of the parameters",
                    counted(size, "row")));
  }
  const nlohmann::json& spread = uncertainty.at("spread");
  spread.at("job").get_to(found.job_spread);
  spread.at("point").get_to(found.point_spread);
  spread.at("jobs").get_to(found.jobs);
  return fit;
}

}}  // namespace tutti::requests
