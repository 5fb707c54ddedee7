#include "src/experiments/sweep/cell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/machine.hpp"
#include "simulation/run_result.hpp"
#include "src/experiments/sweep/sha256.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/option_json.hpp"
#include "src/workers/build_id.hpp"

namespace tutti::inline experiments {

namespace {

using Json = nlohmann::ordered_json;  // to write: keys keep their order
using ReadJson = nlohmann::json;

constexpr const char* kSchema = "tutti-cell/1";

std::string engine_name(const Machine& machine) {
  return machine.both_engines() ? "both" : std::string(machine.engine->name);
}

// In the key: which ranks are simulated changes no more than the last digits, but that it does.
std::string engine_and_symmetry(const Machine& machine) {
  return engine_name(machine) + (machine.symmetry == SymmetryUse::off  ? ", symmetry off"
                                 : machine.symmetry == SymmetryUse::on ? ", symmetry on"
                                                                       : "");
}

std::string network_model_of(const Machine& machine) {
  return machine.engine->has_network ? machine.network_model : "";
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
  if (machine.after_barrier) {
    text += text.empty() ? "after-barrier" : ",after-barrier";
  }
  if (machine.setup.eager_bytes >= 0) {
    text += fmt::format("{}eager={}", text.empty() ? "" : ",", machine.setup.eager_bytes);
  }
  return text;
}

// Where ranks are: a word, what they were drawn with, or a hash of the host of each of them.
std::string placement_text(const Machine& machine) {
  if (machine.placement_seed) {
    return fmt::format("random:{}", *machine.placement_seed);
  }
  if (machine.mapping.host_of_rank == nullptr) {
    return std::string(name(machine.mapping.placement));
  }
  constexpr std::size_t kDigits = 16;
  Sha256 hash;
  for (const std::uint32_t host : *machine.mapping.host_of_rank) {
    hash.add(fmt::format("{},", host));
  }
  return "hosts " + hash.hex().substr(0, kDigits);
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> number_or_none(const ReadJson& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Json json_of(const Problem& problem) {
  return {{"ranks", problem.ranks},
          {"bytes", problem.bytes},
          {"element_bytes", problem.element_bytes},
          {"root", problem.root},
          {"options", options_json(problem)}};
}

Problem problem_of(const ReadJson& json, Collective collective) {
  Problem problem;
  problem.collective = collective;
  json.at("ranks").get_to(problem.ranks);
  json.at("bytes").get_to(problem.bytes);
  json.at("element_bytes").get_to(problem.element_bytes);
  json.at("root").get_to(problem.root);
  read_options(json.at("options"), problem);
  return problem;
}

// A program with other values of its parameters is another one.
std::string hash_of(const Program& program) {
  Sha256 hash;
  hash.add(program.text() + program.settings());
  return hash.hex();
}

// Workers are told of files in JSON, which has no way to say other names.
std::string utf8_path(std::string_view what, const std::string& file) {
  std::string path = std::filesystem::absolute(file).string();
  if (!is_utf8(path)) {
    throw UserError(
        fmt::format("{} '{}': with --db and on several nodes the name has to be UTF-8; rename the "
                    "file, or a folder on the way to it",
                    what, file));
  }
  return path;
}

// With what else it takes to run it: limits, which are more than numbers where one is reached.
Json json_of(const Program& program) {
  const ProgramLimits& limits = program.limits();
  Json json = {{"file", utf8_path("the program", program.file())},
               {"sha256", hash_of(program)},
               {"operations", limits.operations},
               {"steps", limits.steps},
               {"memory_bytes", limits.memory_bytes},
               {"nesting", limits.nesting}};
  for (const ProgramParameter& parameter : program.parameters()) {
    json["parameters"][parameter.name] = parameter.value;
  }
  return json;
}

std::vector<ProgramParameter> parameters_of(const ReadJson& json) {
  std::vector<ProgramParameter> parameters;
  if (json.contains("parameters")) {
    for (const auto& [name, value] : json.at("parameters").items()) {
      parameters.push_back({name, value.get<std::int64_t>()});
    }
  }
  return parameters;
}

ProgramLimits limits_of(const ReadJson& json) {
  ProgramLimits limits;
  json.at("operations").get_to(limits.operations);
  json.at("steps").get_to(limits.steps);
  json.at("memory_bytes").get_to(limits.memory_bytes);
  json.at("nesting").get_to(limits.nesting);
  return limits;
}

// "program 3f2a9c01d2e4b5c6", and limits that are not the usual ones of this machine.
std::string program_text(const Program& program) {
  constexpr std::size_t kDigits = 16;
  std::string text = "program " + hash_of(program).substr(0, kDigits);
  const ProgramLimits& own = program.limits();
  const ProgramLimits usual = ProblemOptions{}.program_limits();
  const auto add = [&text](const char* what, std::uint64_t value, std::uint64_t standard) {
    if (value != standard) {
      text += fmt::format(" --limit {}={}", what, value);
    }
  };
  add("operations", own.operations, usual.operations);
  add("steps", own.steps, usual.steps);
  add("memory", own.memory_bytes, usual.memory_bytes);
  add("nesting", own.nesting, usual.nesting);
  return text;
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
    json["platform"] = utf8_path("--platform", machine.source.file);
  }
  if (!machine.parameters_file.empty()) {
    json["parameters"] = utf8_path("--parameters", machine.parameters_file);
  }
  json["engine"] = engine_name(machine);
  json["symmetry"] = machine.symmetry == SymmetryUse::off  ? "off"
                     : machine.symmetry == SymmetryUse::on ? "on"
                                                           : "auto";
  json["eager_bytes"] = machine.setup.eager_bytes;
  if (machine.after_barrier) {
    json["after_barrier"] = true;
  }
  json["network_model"] = machine.network_model;
  json["ports"] = ports_of(machine);
  json["ranks_per_host"] = machine.mapping.ranks_per_host;
  json["placement"] = name(machine.mapping.placement);
  if (machine.mapping.host_of_rank != nullptr) {
    json["host_of_rank"] = *machine.mapping.host_of_rank;
  }
  if (machine.placement_seed) {
    json["placement_seed"] = *machine.placement_seed;
  }
  json["alpha_s"] = or_null(machine.overrides.alpha_s);
  json["beta_s_per_byte"] = or_null(machine.overrides.beta_s_per_byte);
  json["gamma_s_per_byte"] = or_null(machine.overrides.gamma_s_per_byte);
  json["copy_s_per_byte"] = machine.copy_s_per_byte;
  return json;
}

Machine machine_of(const ReadJson& json, const Problem& problem) {
  Machine machine;
  machine.element_bytes = problem.element_bytes;
  machine.engine_asked = json.at("engine").get<std::string>();
  // "both" runs flow, and has SimGrid judge it.
  machine.engine = &engine_named(machine.both_engines() ? "flow" : machine.engine_asked);
  json.at("network_model").get_to(machine.network_model);
  if (json.contains("crossbar")) {
    const ReadJson& crossbar = json.at("crossbar");
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
      placement_named(json.at("placement").get<std::string>()).value_or(Placement::block);
  if (json.contains("host_of_rank")) {
    machine.mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(
        json.at("host_of_rank").get<std::vector<std::uint32_t>>());
  }
  if (json.contains("placement_seed")) {
    machine.placement_seed = json.at("placement_seed").get<std::uint32_t>();
  }
  machine.overrides.alpha_s = number_or_none(json.at("alpha_s"));
  machine.overrides.beta_s_per_byte = number_or_none(json.at("beta_s_per_byte"));
  machine.overrides.gamma_s_per_byte = number_or_none(json.at("gamma_s_per_byte"));
  json.at("copy_s_per_byte").get_to(machine.copy_s_per_byte);
  json.at("eager_bytes").get_to(machine.setup.eager_bytes);
  machine.after_barrier = json.value("after_barrier", false);
  machine.symmetry = json.at("symmetry").get<std::string>() == "off"  ? SymmetryUse::off
                     : json.at("symmetry").get<std::string>() == "on" ? SymmetryUse::on
                                                                      : SymmetryUse::automatic;
  if (json.contains("parameters")) {
    json.at("parameters").get_to(machine.parameters_file);
  }
  return machine;
}

}  // namespace

CellKey key_of(const Case& cell, const std::string& platform_id) {
  const Problem& problem = cell.problem;
  CellKey key;
  key.version = engine_version(*cell.machine);
  key.collective = name(problem.collective);
  key.algorithm = cell.algorithm->name;
  key.options = options_text(*cell.algorithm, problem);
  if (cell.algorithm->program != nullptr) {
    key.options += (key.options.empty() ? "" : " ") + program_text(*cell.algorithm->program);
  }
  key.root = problem.root;
  key.ranks = problem.ranks;
  key.bytes = static_cast<std::int64_t>(problem.bytes);
  key.element_bytes = problem.element_bytes;
  key.platform_id = platform_id;
  const Machine& machine = *cell.machine;
  key.engine = engine_and_symmetry(machine);
  key.network_model = network_model_of(machine);
  key.ports = ports_of(machine);
  key.ranks_per_host = machine.mapping.ranks_per_host;
  key.placement = placement_text(machine);
  key.prices = prices_text(machine);
  return key;
}

std::string machine_text(const Machine& machine, const std::string& platform_id) {
  return json_of(machine, platform_id).dump();
}

std::string to_line(const Case& cell, const std::string& machine) {
  Json json = {{"schema", kSchema},
               {"version", version_and_build()},
               {"algorithm", cell.algorithm->full_name()}};
  if (cell.algorithm->program != nullptr) {
    json["program"] = json_of(*cell.algorithm->program);
  }
  json["problem"] = json_of(cell.problem);
  if (cell.ties) {
    json["ties"] = true;
  }
  std::string line = json.dump();
  line.pop_back();
  return line + R"(,"machine":)" + machine + '}';
}

const Parameters& CellReader::parameters(const std::string& path) {
  const auto known = parameters_.find(path);
  return known != parameters_.end()
             ? known->second
             : parameters_.emplace(path, read_parameters(path)).first->second;
}

std::shared_ptr<const ClusterPlatform> CellReader::cluster(const std::string& path) {
  const auto [at, is_new] = clusters_.try_emplace(path);
  if (is_new) {
    at->second = read_cluster_file(path);
  }
  return at->second;
}

const Algorithm& CellReader::program(const std::string& path, const std::string& hash,
                                     const ProgramLimits& limits,
                                     const std::vector<ProgramParameter>& parameters) {
  for (const auto& known : programs_) {
    if (known->program.file() == path && hash_of(known->program) == hash &&
        known->program.limits() == limits) {
      return known->algorithm;
    }
  }
  const FileText text(path, kScheduleFile);
  auto read =
      std::make_unique<ProgramFile>(Program(std::string(text.view()), path, limits, parameters));
  if (const std::string here = hash_of(read->program); here != hash) {
    throw UserError(
        fmt::format("{} is not the same program here (sha256:{}) as where the sweep "
                    "began (sha256:{})",
                    path, here, hash));
  }
  return programs_.emplace_back(std::move(read))->algorithm;
}

ReceivedCell CellReader::read(const std::string& line) {
  const ReadJson json = parse_json(line);
  const auto is = [&json](const char* key, std::string_view wanted) {
    return json.is_object() && json.contains(key) && json.at(key) == wanted;
  };
  if (!is("schema", kSchema) || !is("version", version_and_build())) {
    const auto text_of = [&json](const char* key) {
      const bool has = json.is_object() && json.contains(key) && json.at(key).is_string();
      return has ? printable(json.at(key).get<std::string>().substr(0, 60)) : "nothing";
    };
    throw UserError(fmt::format("a cell of schema {} and version {}; accepted is {} and version {}",
                                text_of("schema"), text_of("version"), kSchema,
                                version_and_build()));
  }
  check_against_schema(json, "tutti-cell-1");
  ReceivedCell received;
  Case& cell = received.cell;
  if (json.contains("program")) {
    const ReadJson& named = json.at("program");
    cell.algorithm =
        &program(named.at("file").get<std::string>(), named.at("sha256").get<std::string>(),
                 limits_of(named), parameters_of(named));
  } else {
    cell.algorithm = &algorithm_named(json.at("algorithm").get<std::string>());
  }
  cell.problem = problem_of(json.at("problem"), cell.algorithm->collective);
  cell.ties = json.value("ties", false);
  auto machine = std::make_unique<Machine>(machine_of(json.at("machine"), cell.problem));
  if (!machine->built_in()) {
    machine->cluster = cluster(machine->source.file);
  }
  if (machine->mapping.host_of_rank == nullptr) {
    use_placement(*machine, machine->mapping.placement, "/machine/placement");
  } else if (machine->mapping.host_of_rank->size() < cell.problem.ranks) {
    throw UserError(fmt::format("/machine/host_of_rank: it has {}, and there are {}",
                                counted(machine->mapping.host_of_rank->size(), "host"),
                                counted(cell.problem.ranks, "rank")));
  }
  if (!machine->parameters_file.empty()) {
    use_parameters(*machine, parameters(machine->parameters_file));
  }
  if (cell.ties) {
    machine->setup.ties = unasked_ties(*machine);
  }
  received.machine = std::move(machine);
  cell.machine = received.machine.get();
  json.at("machine").at("platform_id").get_to(received.platform_id);
  return received;
}

}  // namespace tutti::inline experiments
