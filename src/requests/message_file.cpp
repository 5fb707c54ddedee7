#include "src/requests/message_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/made_by.hpp"

namespace tutti { inline namespace requests {

namespace {

using Json = nlohmann::ordered_json;  // keeps keys in the order in which they are added

constexpr std::string_view kMessagesSchema = "tutti-messages/1";

constexpr auto kSpread = fields<ModelUncertainty>({
    {"job", member<&ModelUncertainty::job_spread>},
    {"point", member<&ModelUncertainty::point_spread>},
    {"jobs", member<&ModelUncertainty::jobs>},
});

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const MessageParameter& each : message_parameters()) {
    names.emplace_back(each.name);
  }
  return names;
}

const MessageParameter& parameter_named(const std::string& list, const std::string& name) {
  const MessageParameter* const parameter = find_message_parameter(name);
  if (parameter == nullptr) {
    throw UserError(
        fmt::format("/{}/{}: {}", list, printable(name), accepted_words(name, parameter_names())));
  }
  return *parameter;
}

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, unit);
}

void set(MessageModel& model, const std::string& name, double value) {
  const MessageParameter& parameter = parameter_named("parameters", name);
  if (!(value >= parameter.least && value <= parameter.most)) {
    throw UserError(fmt::format("/parameters/{} is {:g}; it must be from {} to {}", name, value,
                                with_unit(parameter.least, parameter.unit),
                                with_unit(parameter.most, parameter.unit)));
  }
  model.*parameter.value = value;
}

ModelUncertainty uncertainty_from(const nlohmann::json& json) {
  ModelUncertainty found;
  for (const nlohmann::json& each : json.at("parameters")) {
    const auto name = each.get<std::string>();
    const MessageParameter& parameter = parameter_named("fit/uncertainty/parameters", name);
    if (std::ranges::find(found.parameters, &parameter) != found.parameters.end()) {
      throw UserError(fmt::format("/fit/uncertainty/parameters: '{}' appears twice", name));
    }
    found.parameters.push_back(&parameter);
  }
  const std::size_t size = found.parameters.size();
  for (const nlohmann::json& row : json.at("covariance")) {
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
  const nlohmann::json& spread = json.at("spread");
  spread.at("job").get_to(found.job_spread);
  spread.at("point").get_to(found.point_spread);
  spread.at("jobs").get_to(found.jobs);
  return found;
}

Json uncertainty_json(const ModelUncertainty& uncertainty) {
  Json names = Json::array();
  Json rows = Json::array();
  const std::size_t size = uncertainty.parameters.size();
  for (std::size_t i = 0; i < size; ++i) {
    names.push_back(uncertainty.parameters[i]->name);
    Json row = Json::array();
    for (std::size_t j = 0; j < size; ++j) {
      row.push_back(uncertainty.covariance[i * size + j]);
    }
    rows.push_back(std::move(row));
  }
  Json spread;
  put_object(spread, kSpread.view(), &uncertainty);
  return {{"parameters", names}, {"covariance", rows}, {"spread", std::move(spread)}};
}

}  // namespace

FieldView spread_fields() { return kSpread.view(); }

bool is_message_file(const nlohmann::json& json) {
  return json.is_object() && json.contains("schema") && json.at("schema") == kMessagesSchema;
}

MessageFile message_file_from(const nlohmann::json& json) {
  check_against_schema(json, "tutti-messages-1");
  MessageFile file;
  json.at("machine").get_to(file.machine);
  json.at("library").get_to(file.library);
  for (const auto& [name, value] : json.at("parameters").items()) {
    set(file.model, name, value.get<double>());
  }
  if (file.model.inline_bytes > file.model.eager_bytes) {
    throw UserError(fmt::format(
        "/parameters/inline_bytes is {:g}; it must be at most eager_bytes, which is {:g}",
        file.model.inline_bytes, file.model.eager_bytes));
  }
  if (json.contains("sources")) {
    for (const auto& [name, source] : json.at("sources").items()) {
      file.sources[std::string(parameter_named("sources", name).name)] = source.get<std::string>();
    }
  }
  if (json.contains("fit")) {
    const nlohmann::json& fit = json.at("fit");
    file.fit.emplace();
    fit.at("points").get_to(file.fit->points);
    fit.at("error").get_to(file.fit->error);
    for (const auto& [name, bounds] : fit.at("parameters").items()) {
      file.fit->parameters.push_back({std::string(parameter_named("fit/parameters", name).name),
                                      bounds.at("low").get<double>(),
                                      bounds.at("high").get<double>()});
    }
    if (fit.contains("uncertainty")) {
      file.fit->uncertainty = uncertainty_from(fit.at("uncertainty"));
    }
  }
  return file;
}

nlohmann::ordered_json bounds_json(const std::vector<FigureBounds>& bounds) {
  Json json = Json::object();
  for (const FigureBounds& each : bounds) {
    json[each.name] = {{"low", each.low}, {"high", each.high}};
  }
  return json;
}

MessageFile read_message_file(const std::string& path) {
  return read_json_file("$parameters ", path, kParametersFile, [](const std::string& text) {
    return message_file_from(parse_json(text));
  });
}

void write_message_file(const MessageFile& file, std::ostream& out) {
  Json json;
  json["schema"] = kMessagesSchema;
  json["machine"] = file.machine;
  json["library"] = file.library;
  json["parameters"] = Json::object();
  const MessageModel without;
  for (const MessageParameter& each : message_parameters()) {
    if (file.model.*each.value != without.*each.value) {
      json["parameters"][std::string(each.name)] = file.model.*each.value;
    }
  }
  if (!file.sources.empty()) {
    json["sources"] = file.sources;
  }
  if (file.fit) {
    json["fit"] = {{"points", file.fit->points},
                   {"error", file.fit->error},
                   {"parameters", bounds_json(file.fit->parameters)}};
    if (const auto& uncertainty = file.fit->uncertainty) {
      json["fit"]["uncertainty"] = uncertainty_json(*uncertainty);
    }
  }
  write_document(json, 2, out);
}

}}  // namespace tutti::requests
