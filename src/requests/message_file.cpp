#include "src/requests/message_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr auto kSpread = fields<ModelUncertainty>(
    "How far measured times lie from predicted ones, beyond the uncertainty of the parameters: "
    "standard deviations of natural logarithms.",
    {
        {"job", member<&ModelUncertainty::job_spread>, at_most(10),
         "Common to all times of a cell, which differ only in the algorithm."},
        {"point", member<&ModelUncertainty::point_spread>, at_most(10),
         "Independent for each time."},
        {"jobs", member<&ModelUncertainty::jobs>, at_most(kMostExactInteger),
         "Number of jobs from which `job` was estimated. 0 if `job` is the default."},
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

std::vector<std::string_view> names_of(const ModelUncertainty& uncertainty) {
  std::vector<std::string_view> names;
  for (const MessageParameter* const parameter : uncertainty.parameters) {
    names.push_back(parameter->name);
  }
  return names;
}

std::vector<std::vector<double>> rows_of(const ModelUncertainty& uncertainty) {
  const std::size_t size = uncertainty.parameters.size();
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = &uncertainty.covariance[i * size];
    rows.emplace_back(row, row + size);
  }
  return rows;
}

constexpr auto kUncertainty = fields<ModelUncertainty>({
    {"parameters", from<names_of>, items_up_to(100),
     "Names of the fitted parameters, in the order of the rows and columns of `covariance`."},
    {"covariance", from<rows_of>, between(-10000, 10000) | items_up_to(100),
     "Covariance matrix of the natural logarithms of the parameters."},
    {"spread", kSpread, [](const ModelUncertainty& of) -> const auto& { return of; }},
});

constexpr auto kBounds = fields<FigureBounds>({
    {"low", member<&FigureBounds::low>},
    {"high", member<&FigureBounds::high>},
});

constexpr auto kFit = fields<MessageFit>({
    {"points", member<&MessageFit::points>, between(1, kMostExactInteger)},
    {"error", member<&MessageFit::error>,
     "Median factor between predicted and measured times, less 1."},
    {"parameters", kBounds, [](const MessageFit& fit) { return by_name(fit.parameters); },
     "95 % confidence interval of each fitted parameter, by name."},
    {"uncertainty", kUncertainty, member<&MessageFit::uncertainty>, absent,
     "How uncertain predictions are, which --sure needs."},
});

// Values that differ from the defaults.
std::vector<std::pair<std::string_view, double>> values_of(const MessageFile& file) {
  const MessageModel without;
  std::vector<std::pair<std::string_view, double>> values;
  for (const MessageParameter& each : message_parameters()) {
    if (file.model.*each.value != without.*each.value) {
      values.emplace_back(each.name, file.model.*each.value);
    }
  }
  return values;
}

constexpr auto kMessages = fields<MessageFile>({
    {"machine", member<&MessageFile::machine>, "Description of the machine."},
    {"library", member<&MessageFile::library>, "Name and version of the MPI library."},
    {"parameters", from<values_of>, at_most(1e18),
     "Values by name, in seconds, bytes, seconds per byte or bytes per second; some are ratios or "
     "counts. A parameter that is absent has its default, which has no effect, except that "
     "under_way is 16."},
    {"sources",
     [](const MessageFile& file) { return file.sources.empty() ? nullptr : &file.sources; }, absent,
     "Source of each parameter's value, by name."},
    {"fit", kFit, member<&MessageFile::fit>, absent,
     "Results of tutti fit. Absent if the parameters were not fitted."},
});

}  // namespace

FieldView spread_fields() { return kSpread.view(); }
FieldView bounds_fields() { return kBounds.view(); }

extern const DocumentOf<MessageFile> kMessagesDocument{
    {"tutti-messages/1",
     "how an MPI library sends messages on a machine, as written by tutti fit and read by "
     "--parameters",
     kMessages.view()}};

bool is_message_file(const nlohmann::json& json) {
  return json.is_object() && json.contains("schema") &&
         json.at("schema") == kMessagesDocument.schema;
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

std::vector<std::pair<std::string_view, FigureBounds>> by_name(
    const std::vector<FigureBounds>& bounds) {
  std::vector<std::pair<std::string_view, FigureBounds>> named;
  for (const FigureBounds& each : bounds) {
    named.emplace_back(each.name, each);
  }
  return named;
}

MessageFile read_message_file(const std::string& path) {
  return read_json_file("$parameters ", path, kParametersFile, [](const std::string& text) {
    return message_file_from(parse_json(text));
  });
}

void write_message_file(const MessageFile& file, std::ostream& out) {
  write_document(kMessagesDocument, file, 2, out);
}

}}  // namespace tutti::requests
