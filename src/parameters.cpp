#include "src/parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <fstream>

#include "schedules/error.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "tutti-parameters/1";

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

double price(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  if (!std::isfinite(value) || value < 0) {
    throw UserError(fmt::format("{} is {}, and a price is a number from 0 on", key, value));
  }
  return value;
}

CostCurve curve_from(const Json& json, std::string_view name) {
  CostCurve curve;
  for (const Json& each : json.at("pieces")) {
    const CostPiece piece{each.at("from_bytes").get<std::uint64_t>(), price(each, "fixed_s"),
                          price(each, "s_per_byte")};
    if (!curve.pieces.empty() && piece.from_bytes <= curve.pieces.back().from_bytes) {
      throw UserError(
          fmt::format("the pieces of {} are not in ascending order of from_bytes", name));
    }
    curve.pieces.push_back(piece);
  }
  for (const Json& each : json.at("memory")) {
    const MemoryPoint point{price(each, "working_set_bytes"), price(each, "s_per_byte")};
    const double before = curve.memory.empty() ? 0 : curve.memory.back().working_set_bytes;
    if (point.working_set_bytes <= before) {
      throw UserError(
          fmt::format("the working sets of {} are not in ascending order, from above 0 on", name));
    }
    curve.memory.push_back(point);
  }
  return curve;
}

Prices prices_from(const Json& line, const Json& json) {
  Prices prices;
  prices.alpha_s = price(line, "alpha_s");
  prices.beta_s_per_byte = price(line, "beta_s_per_byte");
  prices.gamma_s_per_byte = price(json, "gamma_s_per_byte");
  prices.copy_s_per_byte = price(json, "copy_s_per_byte");
  return prices;
}

Parameters parameters_from(const Json& json) {
  if (json.value("schema", "") != kSchema) {
    throw UserError(
        fmt::format("its schema is not {}; 'tutti-mpi calibrate --json' writes such "
                    "files",
                    kSchema));
  }
  Parameters parameters;
  parameters.library = json.at("library").get<std::string>();
  parameters.placement = json.at("placement").get<std::string>();
  parameters.type = json.at("type").get<std::string>();
  parameters.op = json.at("op").get<std::string>();
  parameters.within = prices_from(json.at("within_node"), json);
  if (!json.at("between_nodes").is_null()) {
    parameters.between = prices_from(json.at("between_nodes"), json);
  }
  if (!json.at("eager_bytes").is_null()) {
    parameters.eager_bytes = json.at("eager_bytes").get<std::uint64_t>();
  }
  for (const NamedCurve& each : named(parameters.curves)) {
    each.curve = curve_from(json.at("curves").at(std::string(each.name)), each.name);
  }
  parameters.curves.start_s = price(json, "start_s");
  parameters.curves.within_node.by_core = json.at("by_core").at("within_node").get<bool>();
  parameters.curves.between_nodes.by_core = json.at("by_core").at("between_nodes").get<bool>();
  if (parameters.curves.within_node.one_way.empty()) {
    throw UserError("curves.within_node.one_way has no piece");
  }
  return parameters;
}

}  // namespace

Parameters read_parameters(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw UserError(fmt::format("--parameters '{}': cannot be read", path));
  }
  try {
    return parameters_from(Json::parse(file));
  } catch (const nlohmann::json::exception& error) {
    throw UserError(fmt::format("--parameters '{}': {}", path, error.what()));
  } catch (const UserError& error) {
    throw UserError(fmt::format("--parameters '{}': {}", path, error.what()));
  }
}

void write_parameters(const Parameters& parameters, std::ostream& out) {
  Json json;
  json["schema"] = kSchema;
  json["library"] = parameters.library;
  json["placement"] = parameters.placement;
  json["type"] = parameters.type;
  json["op"] = parameters.op;
  const auto line = [](const Prices& prices) {
    return Json{{"alpha_s", prices.alpha_s}, {"beta_s_per_byte", prices.beta_s_per_byte}};
  };
  json["within_node"] = line(parameters.within);
  json["between_nodes"] = parameters.between ? line(*parameters.between) : Json();
  json["gamma_s_per_byte"] = parameters.within.gamma_s_per_byte;
  json["copy_s_per_byte"] = parameters.within.copy_s_per_byte;
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
    const double fitted_s =
        curve_of(curves, point.what).at(point.bytes, point.working_set_bytes).seconds(point.bytes);
    json["points"].push_back({{"what", point.what},
                              {"bytes", point.bytes},
                              {"working_set_bytes", point.working_set_bytes},
                              {"seconds", point.seconds},
                              {"fitted_s", fitted_s},
                              {"residual", fitted_s / point.seconds - 1},
                              {"spread", point.spread}});
  }
  out << json.dump(2) << '\n';
}

const CostCurve& curve_of(const CostCurves& curves, const std::string& what) {
  // Only looked at.
  for (const NamedCurve& each : named(const_cast<CostCurves&>(curves))) {  // NOLINT
    if (each.name == what) {
      return each.curve;
    }
  }
  throw InvariantError("no curve of the name " + what);
}

}  // namespace tutti
