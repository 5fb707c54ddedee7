#include "src/sweep/cell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"
#include "src/parameters.hpp"
#include "src/run_result.hpp"
#include "src/sweep/build_id.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tutti-cell/1";

std::string engine_name(const Machine& machine) {
  return machine.both_engines() ? "both" : std::string(name(machine.engine));
}

// In the key: which ranks are simulated changes no more than the last digits, but that it does.
std::string engine_and_symmetry(const Machine& machine) {
  return engine_name(machine) + (machine.symmetry == SymmetryUse::off  ? ", symmetry off"
                                 : machine.symmetry == SymmetryUse::on ? ", symmetry on"
                                                                       : "");
}

std::string network_model_of(const Machine& machine) {
  return machine.engine == EngineKind::critical_path ? "" : machine.network_model;
}

std::string_view placement_name(Placement placement) {
  return placement == Placement::cyclic ? "cyclic" : "block";
}

std::int64_t ports_of(const Machine& machine) {
  return machine.setup.ports == kUnlimitedPorts ? 0 : machine.setup.ports;
}

std::string prices_text(const Machine& machine) {
  std::string text;
  const auto add = [&text](std::string_view what, double price) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", what, price);
  };
  const PriceOverrides& given = machine.overrides;
  for (const auto& [what, price] :
       {std::pair{"alpha", given.alpha_s}, std::pair{"beta", given.beta_s_per_byte},
        std::pair{"gamma", given.gamma_s_per_byte}}) {
    if (price) {
      add(what, *price);
    }
  }
  if (machine.copy_s_per_byte != 0) {
    add("copy", machine.copy_s_per_byte);
  }
  if (machine.setup.eager_bytes >= 0) {
    text += fmt::format("{}eager={}", text.empty() ? "" : ",", machine.setup.eager_bytes);
  }
  return text;
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> number_or_none(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Json json_of(const Problem& problem) {
  return {{"ranks", problem.ranks},
          {"bytes", problem.bytes},
          {"element_bytes", problem.element_bytes},
          {"root", problem.root},
          {"fold", problem.fold == Fold::far ? "far" : "neighbours"},
          {"segment_bytes", problem.segment_bytes},
          {"skips", problem.skips},
          {"tree", problem.tree},
          {"ranks_per_node", problem.ranks_per_node},
          {"block_bytes", problem.block_bytes}};
}

Problem problem_of(const Json& json, Collective collective) {
  Problem problem;
  problem.collective = collective;
  json.at("ranks").get_to(problem.ranks);
  json.at("bytes").get_to(problem.bytes);
  json.at("element_bytes").get_to(problem.element_bytes);
  json.at("root").get_to(problem.root);
  problem.fold = json.at("fold") == "far" ? Fold::far : Fold::neighbours;
  json.at("segment_bytes").get_to(problem.segment_bytes);
  json.at("skips").get_to(problem.skips);
  json.at("tree").get_to(problem.tree);
  json.at("ranks_per_node").get_to(problem.ranks_per_node);
  json.at("block_bytes").get_to(problem.block_bytes);
  return problem;
}

Json json_of(const Machine& machine, const std::string& platform_id) {
  Json json;
  json["platform_id"] = platform_id;
  if (machine.built_in()) {
    const Crossbar& crossbar = machine.source.crossbar;
    json["crossbar"] = {{"hosts", crossbar.hosts},
                        {"latency_s", crossbar.latency_s},
                        {"bandwidth_bytes_per_s", crossbar.bandwidth_bytes_per_s},
                        {"speed_flops_per_s", crossbar.speed_flops_per_s}};
  } else {
    json["platform"] = std::filesystem::absolute(machine.source.file).string();
  }
  if (!machine.parameters_file.empty()) {
    json["parameters"] = std::filesystem::absolute(machine.parameters_file).string();
  }
  json["engine"] = engine_name(machine);
  json["symmetry"] = machine.symmetry == SymmetryUse::off  ? "off"
                     : machine.symmetry == SymmetryUse::on ? "on"
                                                           : "auto";
  json["eager_bytes"] = machine.setup.eager_bytes;
  json["network_model"] = machine.network_model;
  json["ports"] = ports_of(machine);
  json["ranks_per_host"] = machine.mapping.ranks_per_host;
  json["placement"] = placement_name(machine.mapping.placement);
  json["alpha_s"] = or_null(machine.overrides.alpha_s);
  json["beta_s_per_byte"] = or_null(machine.overrides.beta_s_per_byte);
  json["gamma_s_per_byte"] = or_null(machine.overrides.gamma_s_per_byte);
  json["copy_s_per_byte"] = machine.copy_s_per_byte;
  return json;
}

EngineKind engine_named(const std::string& text) {
  for (const EngineKind engine : {EngineKind::simgrid, EngineKind::critical_path}) {
    if (text == name(engine)) {
      return engine;
    }
  }
  return EngineKind::flow;
}

Machine machine_of(const Json& json, const Problem& problem) {
  Machine machine;
  machine.element_bytes = problem.element_bytes;
  machine.engine_asked = json.at("engine").get<std::string>();
  machine.engine = engine_named(machine.engine_asked);
  json.at("network_model").get_to(machine.network_model);
  if (json.contains("crossbar")) {
    const Json& crossbar = json.at("crossbar");
    crossbar.at("hosts").get_to(machine.source.crossbar.hosts);
    crossbar.at("latency_s").get_to(machine.source.crossbar.latency_s);
    crossbar.at("bandwidth_bytes_per_s").get_to(machine.source.crossbar.bandwidth_bytes_per_s);
    crossbar.at("speed_flops_per_s").get_to(machine.source.crossbar.speed_flops_per_s);
  } else {
    json.at("platform").get_to(machine.source.file);
  }
  const auto ports = json.at("ports").get<std::uint32_t>();
  machine.setup.ports = ports == 0 ? kUnlimitedPorts : ports;
  machine.mapping.ranks = problem.ranks;
  json.at("ranks_per_host").get_to(machine.mapping.ranks_per_host);
  machine.mapping.placement =
      json.at("placement") == "cyclic" ? Placement::cyclic : Placement::block;
  machine.overrides.alpha_s = number_or_none(json.at("alpha_s"));
  machine.overrides.beta_s_per_byte = number_or_none(json.at("beta_s_per_byte"));
  machine.overrides.gamma_s_per_byte = number_or_none(json.at("gamma_s_per_byte"));
  json.at("copy_s_per_byte").get_to(machine.copy_s_per_byte);
  json.at("eager_bytes").get_to(machine.setup.eager_bytes);
  machine.symmetry = json.at("symmetry") == "off"  ? SymmetryUse::off
                     : json.at("symmetry") == "on" ? SymmetryUse::on
                                                   : SymmetryUse::automatic;
  if (json.contains("parameters")) {
    json.at("parameters").get_to(machine.parameters_file);
    use_curves(machine, read_parameters(machine.parameters_file));
  }
  return machine;
}

}  // namespace

CellKey key_of(const Cell& cell, const std::string& platform_id) {
  const Problem& problem = cell.problem;
  CellKey key;
  key.version = version_and_build();
  key.collective = name(problem.collective);
  key.algorithm = cell.algorithm->name;
  key.options = options_text(*cell.algorithm, problem);
  key.root = problem.root;
  key.ranks = problem.ranks;
  key.bytes = static_cast<std::int64_t>(problem.bytes);
  key.element_bytes = problem.element_bytes;
  key.platform_id = platform_id;
  key.engine = engine_and_symmetry(cell.machine);
  key.network_model = network_model_of(cell.machine);
  key.ports = ports_of(cell.machine);
  key.ranks_per_host = cell.machine.mapping.ranks_per_host;
  key.placement = placement_name(cell.machine.mapping.placement);
  key.prices = prices_text(cell.machine);
  return key;
}

std::string platform_name(const Machine& machine) {
  return machine.built_in() ? fmt::format("crossbar:{}", machine.source.crossbar.hosts)
                            : std::filesystem::path(machine.source.file).filename().string();
}

std::string to_line(const Cell& cell, const std::string& platform_id) {
  const Json json = {{"schema", kSchema},
                     {"version", version_and_build()},
                     {"algorithm", cell.algorithm->full_name()},
                     {"problem", json_of(cell.problem)},
                     {"machine", json_of(cell.machine, platform_id)}};
  return json.dump();
}

ReceivedCell cell_of_line(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.at("schema") != kSchema || json.at("version") != version_and_build()) {
      throw UserError(fmt::format("a cell of {} and version {}; accepted is {} and version {}",
                                  json.at("schema").dump(), json.at("version").dump(), kSchema,
                                  version_and_build()));
    }
    ReceivedCell received;
    Cell& cell = received.cell;
    cell.algorithm = &algorithm_named(json.at("algorithm").get<std::string>());
    cell.problem = problem_of(json.at("problem"), cell.algorithm->collective);
    cell.machine = machine_of(json.at("machine"), cell.problem);
    json.at("machine").at("platform_id").get_to(received.platform_id);
    return received;
  } catch (const nlohmann::json::exception& error) {
    throw UserError(fmt::format("no cell in a line of JSON: {}", error.what()));
  }
}

}  // namespace tutti
