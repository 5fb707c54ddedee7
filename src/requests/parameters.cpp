#include "src/requests/parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/shell_word.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/json_text.hpp"

namespace tutti { inline namespace requests {

namespace {

using Json = nlohmann::ordered_json;  // keeps keys in the order in which they are added

constexpr std::string_view kParametersSchema = "tutti-parameters/1";

constexpr double kNotFound = std::numeric_limits<double>::quiet_NaN();

// Converts a figure to JSON. A figure that could not be measured becomes null, because JSON has no
// NaN.
Json found(double value) { return std::isfinite(value) ? Json(value) : Json(); }

struct NamedCurve {
  std::string_view name;
  CostCurve& curve;
};

std::array<NamedCurve, 7> named(CostCurves& curves) {
  return {{{"within_node.one_way", curves.within_node.one_way},
           {"within_node.exchange", curves.within_node.exchange},
           {"between_nodes.one_way", curves.between_nodes.one_way},
           {"between_nodes.exchange", curves.between_nodes.exchange},
           {"reduce", curves.reduce},
           {"reduce_sent", curves.reduce_sent},
           {"copy", curves.copy}}};
}

// Reads a price. Throws UserError if it is null, which the schema allows for a price that could not
// be measured.
double price(const nlohmann::json& json, const char* key) {
  if (json.at(key).is_null()) {
    throw UserError(
        fmt::format("{} is null: the machine was too busy to measure it; calibrate again on a "
                    "quieter machine or with a longer $budget",
                    key));
  }
  return json.at(key).get<double>();
}

// Reads a curve and checks that its values ascend, which the schema cannot express.
CostCurve curve_from(const nlohmann::json& json, const std::string& name) {
  CostCurve curve;
  const auto refuse_order = [&name](const char* list, std::size_t i, const char* what,
                                    const auto& value, const auto& before) {
    throw UserError(fmt::format("/curves/{}/{}/{}/{} is {}, after {}; the values must increase",
                                name, list, i, what, value, before));
  };
  for (const nlohmann::json& each : json.at("pieces")) {
    const CostPiece piece{each.at("from_bytes").get<std::uint64_t>(),
                          each.at("fixed_s").get<double>(), each.at("s_per_byte").get<double>()};
    if (!curve.pieces.empty() && piece.from_bytes <= curve.pieces.back().from_bytes) {
      refuse_order("pieces", curve.pieces.size(), "from_bytes", piece.from_bytes,
                   curve.pieces.back().from_bytes);
    }
    curve.pieces.push_back(piece);
  }
  for (const nlohmann::json& each : json.at("memory")) {
    const MemoryPoint point{each.at("working_set_bytes").get<double>(),
                            each.at("s_per_byte").get<double>()};
    const double before = curve.memory.empty() ? 0 : curve.memory.back().working_set_bytes;
    if (point.working_set_bytes <= before) {
      refuse_order("memory", curve.memory.size(), "working_set_bytes", point.working_set_bytes,
                   before);
    }
    curve.memory.push_back(point);
  }
  return curve;
}

Prices prices_from(const nlohmann::json& line, const nlohmann::json& json) {
  Prices prices;
  prices.alpha_s = price(line, "alpha_s");
  prices.beta_s_per_byte = price(line, "beta_s_per_byte");
  prices.gamma_s_per_byte = price(json, "gamma_s_per_byte");
  prices.copy_s_per_byte = price(json, "copy_s_per_byte");
  return prices;
}

Parameters parameters_from(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("schema") || !json.at("schema").is_string() ||
      json.at("schema").get<std::string>() != kParametersSchema) {
    throw UserError(
        fmt::format("its schema is neither {} nor tutti-messages/1; 'tutti-mpi calibrate --json' "
                    "and 'tutti fit' write files with these schemas",
                    kParametersSchema));
  }
  check_against_schema(json, "tutti-parameters-1");
  Parameters parameters;
  json.at("library").get_to(parameters.library);
  json.at("placement").get_to(parameters.placement);
  json.at("type").get_to(parameters.type);
  json.at("op").get_to(parameters.op);
  parameters.within = prices_from(json.at("within_node"), json);
  if (!json.at("between_nodes").is_null()) {
    parameters.between = prices_from(json.at("between_nodes"), json);
  }
  if (!json.at("eager_bytes").is_null()) {
    parameters.eager_bytes = json.at("eager_bytes").get<std::uint64_t>();
  }
  for (const NamedCurve& each : named(parameters.curves)) {
    const std::string name(each.name);
    each.curve = curve_from(json.at("curves").at(name), name);
  }
  json.at("start_s").get_to(parameters.curves.start_s);
  json.at("by_core").at("within_node").get_to(parameters.curves.within_node.by_core);
  json.at("by_core").at("between_nodes").get_to(parameters.curves.between_nodes.by_core);
  if (parameters.curves.within_node.one_way.empty()) {
    throw UserError("/curves/within_node.one_way/pieces has no piece");
  }
  for (const nlohmann::json& point : json.at("points")) {
    parameters.points.push_back(
        {point.at("what").get<std::string>(), point.at("bytes").get<std::uint64_t>(),
         point.at("working_set_bytes").get<double>(), point.at("seconds").get<double>(),
         point.at("spread").get<double>()});
  }
  if (!json.value("good", true)) {
    parameters.doubts = json.at("doubts").get<std::vector<std::string>>();
  }
  return parameters;
}

}  // namespace

Parameters parse_parameters(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  if (!is_message_file(json)) {
    return parameters_from(json);
  }
  return parameters_of(message_file_from(json));
}

Parameters parameters_of(const MessageFile& file) {
  Parameters parameters;
  parameters.library = file.library;
  parameters.messages = file.model;
  if (file.fit) {
    parameters.uncertainty = file.fit->uncertainty;
  }
  return parameters;
}

void Parameters::put_into(MachineFiles& files) const {
  if (messages) {
    files.library = mpi_library_named(library);
    files.messages = std::make_shared<const MessageModel>(*messages);
    if (uncertainty) {
      files.uncertainty = std::make_shared<const ModelUncertainty>(*uncertainty);
    }
  } else {
    files.curves = std::make_shared<const CostCurves>(curves);
  }
}

Parameters read_parameters(const std::string& path) {
  try {
    return read_json_file("$parameters ", path, kParametersFile, parse_parameters);
  } catch (const UserError&) {
    if (content_of_file(path) == FileContent::platform) {
      throw UserError(fmt::format("$parameters '{0}': {1}; write $platform {2}", path,
                                  in_words(FileContent::platform), shell_path(path)));
    }
    throw;
  }
}

void write_parameters(const Parameters& parameters, std::ostream& out) {
  Json json;
  json["schema"] = kParametersSchema;
  json["library"] = parameters.library;
  json["placement"] = parameters.placement;
  json["type"] = parameters.type;
  json["op"] = parameters.op;
  const auto line = [](const Prices& prices) {
    return Json{{"alpha_s", found(prices.alpha_s)},
                {"beta_s_per_byte", found(prices.beta_s_per_byte)}};
  };
  json["good"] = parameters.doubts.empty();
  json["doubts"] = parameters.doubts;
  json["within_node"] = line(parameters.within);
  json["between_nodes"] = parameters.between ? line(*parameters.between) : Json();
  json["gamma_s_per_byte"] = found(parameters.within.gamma_s_per_byte);
  json["copy_s_per_byte"] = found(parameters.within.copy_s_per_byte);
  json["eager_bytes"] = parameters.eager_bytes ? Json(*parameters.eager_bytes) : Json();
  CostCurves curves = parameters.curves;
  json["start_s"] = curves.start_s;
  json["by_core"] = {{"within_node", curves.within_node.by_core},
                     {"between_nodes", curves.between_nodes.by_core}};
  for (const NamedCurve& each : named(curves)) {
    Json pieces = Json::array();
    for (const CostPiece& piece : each.curve.pieces) {
      pieces.push_back({{"from_bytes", piece.from_bytes},
                        {"fixed_s", piece.fixed_s},
                        {"s_per_byte", piece.s_per_byte}});
    }
    Json memory = Json::array();
    for (const MemoryPoint& point : each.curve.memory) {
      memory.push_back(
          {{"working_set_bytes", point.working_set_bytes}, {"s_per_byte", point.s_per_byte}});
    }
    json["curves"][std::string(each.name)] = {{"pieces", pieces}, {"memory", memory}};
  }
  json["points"] = Json::array();
  for (const MeasuredPoint& point : parameters.points) {
    const CostCurve& curve = curve_of(curves, point.what);
    const double fitted_s =
        curve.empty() ? kNotFound
                      : curve.at(point.bytes, point.working_set_bytes).seconds(point.bytes);
    json["points"].push_back({{"what", point.what},
                              {"bytes", point.bytes},
                              {"working_set_bytes", point.working_set_bytes},
                              {"seconds", point.seconds},
                              {"fitted_s", found(fitted_s)},
                              {"residual", found(fitted_s / point.seconds - 1)},
                              {"spread", point.spread}});
  }
  json["bounds"] = bounds_json(parameters.bounds);
  const CalibrationEffort& effort = parameters.effort;
  json["effort"] = {{"seconds", effort.seconds},
                    {"rounds", effort.rounds},
                    {"runs", effort.runs},
                    {"disturbed", effort.disturbed},
                    {"settled", effort.settled}};
  out << json_text(json, 2) << '\n';
}

const CostCurve& curve_of(const CostCurves& curves, const std::string& what) {
  // named() takes a non-const reference, but does not modify the curves.
  for (const NamedCurve& each : named(const_cast<CostCurves&>(curves))) {  // NOLINT
    if (each.name == what) {
      return each.curve;
    }
  }
  throw InvariantError("no curve of the name " + what);
}

}}  // namespace tutti::requests
