#include "src/experiments/sweep/cell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <filesystem>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/hash.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "platforms/platform_files.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/option_json.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Json = nlohmann::ordered_json;  // for writing: keys keep their order
using ReadJson = nlohmann::json;

constexpr const char* kSchema = "tutti-cell/1";

std::string engine_name(const Machine& machine) {
  return machine.both_engines() ? "both" : std::string(machine.engine->name);
}

// Returns the text for CellKey::engine. It includes the use of symmetry unless this is automatic,
// since the choice of the ranks to simulate can change the last digits of a result.
std::string engine_and_symmetry(const Machine& machine) {
  const SymmetryUse use = machine.spec.symmetry;
  return engine_name(machine) +
         (use == SymmetryUse::automatic ? "" : fmt::format(", symmetry {}", name(use)));
}

// Returns the machine's spec, with the engine that was chosen for the machine and the machine's
// price of copies.
MachineSpec settled_spec(const Machine& machine) {
  MachineSpec spec = machine.spec;
  spec.engine = engine_name(machine);
  spec.copy.s_per_byte = machine.copy_s_per_byte;
  return spec;
}

// Removes the unit from the name of a field: "alpha" for "alpha_s".
std::string without_unit(std::string_view field) {
  for (const std::string_view unit : {"_s_per_byte", "_bytes", "_s"}) {
    if (field.ends_with(unit)) {
      field.remove_suffix(unit.size());
      break;
    }
  }
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

template <typename Value>
std::string price_text(std::string_view field, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return without_unit(field);
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return fmt::format("{}={}", without_unit(field), value);
  } else {
    return value ? price_text(field, *value) : "";
  }
}

std::string prices_text(const Machine& machine) {
  MachineSpec spec = settled_spec(machine);
  // The size limit of eager messages comes from the setup, since a message model replaces the limit
  // in the spec.
  const std::int64_t eager = machine.setup.eager_bytes;
  spec.eager_bytes = eager >= 0 ? std::optional(static_cast<std::uint64_t>(eager)) : std::nullopt;
  std::string text;
  for_each_field(spec, [&text](std::string_view field, const auto& value) {
    constexpr std::array kOwnColumns{"engine", "symmetry",  "network_model",
                                     "ports",  "placement", "placement_seed"};
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (!std::is_enum_v<Value> && !std::is_same_v<Value, std::string>) {
      if (std::ranges::count(kOwnColumns, field) == 0 && value != Value{}) {
        text += (text.empty() ? "" : ",") + price_text(field, value);
      }
    }
  });
  return text;
}

// Returns the text for CellKey::placement: a word, the seed with which a random placement was
// drawn, or a hash of the hosts of all ranks.
std::string placement_text(const Machine& machine) {
  if (machine.spec.placement_seed) {
    return fmt::format("random:{}", *machine.spec.placement_seed);
  }
  if (machine.mapping.host_of_rank == nullptr) {
    return std::string(name(machine.mapping.placement));
  }
  constexpr std::size_t kDigits = 16;
  const std::string hosts = fmt::format("{},", fmt::join(*machine.mapping.host_of_rank, ","));
  return "hosts " + hash_of(hosts).substr(0, kDigits);
}

// Writes a value as JSON. Enumerations are written as their names.
template <typename Value>
void put(Json& json, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    json = name(value);
  } else {
    json = value;
  }
}
template <typename Value>
void put(Json& json, const std::optional<Value>& value) {
  json = value ? Json(*value) : Json();
}

// Throws UserError unless `good` is true.
void need(bool good, const char* field, const ReadJson& json, std::string_view accepted) {
  if (!good) {
    throw UserError(fmt::format("/machine/{} is '{}', a {}; expected {}", field,
                                printable(json.dump().substr(0, 60)), json.type_name(), accepted));
  }
}

void take(const char* field, const ReadJson& json, std::string& value) {
  need(json.is_string(), field, json, "a string");
  json.get_to(value);
}
void take(const char* field, const ReadJson& json, bool& value) {
  need(json.is_boolean(), field, json, "true or false");
  json.get_to(value);
}
void take(const char* field, const ReadJson& json, double& value) {
  need(json.is_number() && json.get<double>() >= 0 && json.get<double>() <= 1e9, field, json,
       "a number from 0 to 1e9");
  json.get_to(value);
}
template <std::unsigned_integral Value>
void take(const char* field, const ReadJson& json, Value& value) {
  constexpr Value kMost = std::numeric_limits<Value>::max();
  need(json.is_number_unsigned() && json.get<std::uint64_t>() <= kMost, field, json,
       "a whole number, 0 or more");
  json.get_to(value);
}
template <typename Value>
void take_word(const char* field, const ReadJson& json, const char* words,
               std::optional<Value> (*named)(std::string_view), Value& value) {
  std::string word;
  take(field, json, word);
  const std::optional<Value> found = named(word);
  need(found.has_value(), field, json, words);
  value = *found;
}
void take(const char* field, const ReadJson& json, SymmetryUse& value) {
  take_word(field, json, "auto, off or on", symmetry_use_named, value);
}
void take(const char* field, const ReadJson& json, Placement& value) {
  take_word(field, json, "block, cyclic or switch", placement_named, value);
}
template <typename Value>
void take(const char* field, const ReadJson& json, std::optional<Value>& value) {
  value.reset();
  if (!json.is_null()) {
    take(field, json, value.emplace());
  }
}

template <typename Figures, typename Visit>
void for_each_crossbar_member(Figures& crossbar, Visit&& visit) {
  visit("hosts", crossbar.hosts);
  visit("latency_s", crossbar.latency_s);
  visit("bandwidth_bytes_per_s", crossbar.bandwidth_bytes_per_s);
  visit("speed_flops_per_s", crossbar.speed_flops_per_s);
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

// Returns the hash of a program. A program with other values of its parameters counts as another
// program.
std::string program_hash(const Program& program, const Problem& problem) {
  return hash_of(program.text(problem) + program.settings());
}

// Returns the absolute path of a file. Throws UserError unless the path is UTF-8, because workers
// receive the path in JSON.
std::string utf8_path(std::string_view what, const std::string& file) {
  std::string path = std::filesystem::absolute(file).string();
  if (!is_utf8(path)) {
    throw UserError(fmt::format(
        "{} '{}': with $db the path must be UTF-8; rename the file, or a folder in its path", what,
        file));
  }
  return path;
}

// Returns a program as JSON. Includes the limits of the program, since a limit that is reached
// changes the result.
Json json_of(const Program& program, const Problem& problem) {
  const ProgramLimits& limits = program.limits();
  Json json = {{"file", utf8_path("the program", program.file(problem))},
               {"hash", program_hash(program, problem)},
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

// Returns the text for a program in CellKey::options: "program 3f2a9c01d2e4b5c6", and the limits
// that differ from the defaults on this machine.
std::string program_text(const Program& program, const Problem& problem) {
  constexpr std::size_t kDigits = 16;
  std::string text = "program " + program_hash(program, problem).substr(0, kDigits);
  const ProgramLimits& own = program.limits();
  const ProgramLimits usual = ProblemOptions{}.program_limits();
  const auto add = [&text](const char* what, std::uint64_t value, std::uint64_t standard) {
    if (value != standard) {
      text += fmt::format(" {} {}={}", flag_of("limit"), what, value);
    }
  };
  add("operations", own.operations, usual.operations);
  add("steps", own.steps, usual.steps);
  add("memory", own.memory_bytes, usual.memory_bytes);
  add("nesting", own.nesting, usual.nesting);
  return text;
}

MachineSpec spec_of(const ReadJson& json) {
  MachineSpec spec;
  spec.crossbar_named = json.contains("crossbar");
  if (spec.crossbar_named) {
    for_each_crossbar_member(spec.source.crossbar, [&](const char* field, auto& value) {
      json.at("crossbar").at(field).get_to(value);  // the schema has checked these values
    });
  } else {
    json.at("platform").get_to(spec.source.file);
  }
  spec.parameters = json.value("parameters", "");
  for_each_field(spec, [&](const char* field, auto& value) {
    if (!json.contains(field)) {
      throw UserError(fmt::format("/machine lacks \"{}\"", field));
    }
    take(field, json.at(field), value);
  });
  if (spec.eager_bytes.value_or(0) > kMaxMessageBytes) {
    throw UserError(fmt::format("/machine/eager_bytes: {} is more than the maximum, {}",
                                *spec.eager_bytes, kMaxMessageBytes));
  }
  return spec;
}

// Returns the machine of a cell. `files` has the contents of the files that `spec` names.
Machine machine_of(const ReadJson& json, const Problem& problem, MachineSpec spec,
                   const MachineFiles& files) {
  // The JSON already has the hosts that were drawn with this seed, so they are not drawn again.
  const auto seed = std::exchange(spec.placement_seed, std::nullopt);
  Machine machine = OpenedMachine{std::move(spec), files}.machine(
      problem.ranks, json.at("ranks_per_host").get<std::uint32_t>(), problem.element_bytes);
  machine.spec.placement_seed = seed;
  if (json.contains("host_of_rank")) {
    auto hosts = json.at("host_of_rank").get<std::vector<std::uint32_t>>();
    if (hosts.size() < problem.ranks) {
      throw UserError(fmt::format("/machine/host_of_rank: has {}, but there are {}",
                                  counted(hosts.size(), "host"), counted(problem.ranks, "rank")));
    }
    machine.mapping.host_of_rank =
        std::make_shared<const std::vector<std::uint32_t>>(std::move(hosts));
    use_files(machine, files);
  }
  return machine;
}

// Returns "xxh128:" and the hash of the concatenated files.
std::string hash_of_files(const std::vector<std::string>& files, const InputKind& kind) {
  std::string text;
  for (const std::string& file : files) {
    text += FileText(file, kind).view();
  }
  return fmt::format("{}:{}", kHashName, hash_of(text));
}

}  // namespace

const std::string& PlatformIds::of(const Machine& machine) {
  const Crossbar& crossbar = machine.spec.source.crossbar;
  const std::string name = machine.built_in()
                               ? fmt::format("crossbar:{},bw={}Bps,lat={}s,speed={}f",
                                             crossbar.hosts, crossbar.bandwidth_bytes_per_s,
                                             crossbar.latency_s, crossbar.speed_flops_per_s)
                               : machine.spec.source.file;
  const auto [at, added] = known_.try_emplace(name + '\0' + machine.spec.parameters, name);
  if (added) {
    std::string& id = at->second;
    if (!machine.built_in()) {
      id = hash_of_files(platform_files(machine.spec.source.file), kPlatformFile);
    }
    if (!machine.spec.parameters.empty()) {
      id += ",parameters=" + hash_of_files({machine.spec.parameters}, kParametersFile);
    }
  }
  return at->second;
}

CellKey key_of(const Case& cell, const std::string& platform_id) {
  const Problem& problem = cell.problem;
  CellKey key;
  key.version = engine_version(*cell.machine);
  key.collective = name(problem.collective);
  key.algorithm = cell.algorithm->name;
  key.options = options_text(*cell.algorithm, problem);
  if (cell.algorithm->program != nullptr) {
    key.options +=
        (key.options.empty() ? "" : " ") + program_text(*cell.algorithm->program, problem);
  }
  key.root = problem.root;
  key.ranks = problem.ranks;
  key.bytes = static_cast<std::int64_t>(problem.bytes);
  key.element_bytes = problem.element_bytes;
  key.platform_id = platform_id;
  const Machine& machine = *cell.machine;
  key.engine = engine_and_symmetry(machine);
  key.network_model = machine.engine->has_network ? machine.spec.network_model : "";
  key.ports = machine.setup.ports;
  key.ranks_per_host = machine.mapping.ranks_per_host;
  key.placement = placement_text(machine);
  key.prices = prices_text(machine);
  return key;
}

std::string machine_text(const Machine& machine, const std::string& platform_id) {
  const MachineSpec spec = settled_spec(machine);
  Json json;
  json["platform_id"] = platform_id;
  const auto put_into = [](Json& object) {
    return [&object](const char* key, const auto& value) { put(object[key], value); };
  };
  if (spec.built_in()) {
    for_each_crossbar_member(spec.source.crossbar, put_into(json["crossbar"]));
  } else {
    json["platform"] = utf8_path("$platform", spec.source.file);
  }
  if (!spec.parameters.empty()) {
    json["parameters"] = utf8_path("$parameters", spec.parameters);
  }
  for_each_field(spec, put_into(json));
  json["ranks_per_host"] = machine.mapping.ranks_per_host;
  if (machine.mapping.host_of_rank != nullptr) {
    json["host_of_rank"] = *machine.mapping.host_of_rank;
  }
  return json.dump();
}

std::string to_line(const Case& cell, const std::string& machine) {
  Json json = {{"schema", kSchema},
               {"version", version_and_build()},
               {"algorithm", cell.algorithm->full_name()}};
  if (cell.algorithm->program != nullptr) {
    json["program"] = json_of(*cell.algorithm->program, cell.problem);
  }
  json["problem"] = json_of(cell.problem);
  if (cell.ties) {
    json["ties"] = true;
  }
  std::string line = json.dump();
  line.pop_back();
  return line + R"(,"machine":)" + machine + '}';
}

const MachineFiles& CellReader::files_of(const MachineSpec& spec) {
  std::array names{spec.source.file, spec.network_model, spec.parameters};
  auto at = files_.find(names);
  if (at == files_.end()) {
    MachineFiles files;
    open_platform(spec, files);
    if (!spec.parameters.empty()) {
      read_parameters(spec.parameters).put_into(files);
    }
    at = files_.emplace(std::move(names), std::move(files)).first;
  }
  return at->second;
}

const Algorithm& CellReader::program(const ReadJson& named, const std::string& full_name) {
  const auto path = named.at("file").get<std::string>();
  const auto hash = named.at("hash").get<std::string>();
  const ProgramLimits limits = limits_of(named);
  for (const auto& known : programs_) {
    if (known->program.file() == path && program_hash(known->program, {}) == hash &&
        known->program.limits() == limits) {
      return known->algorithm;
    }
  }
  const FileText text(path, kScheduleFile);
  std::unique_ptr<ProgramFile> read;
  if (Program::is_program(text.view())) {
    read = std::make_unique<ProgramFile>(
        Program(std::string(text.view()), path, limits, parameters_of(named)));
  } else {
    const auto collective = collective_named(full_name.substr(0, full_name.find('/')));
    std::vector<WrittenFile> file;
    file.push_back(read_written_file(path, std::string(text.view()), collective));
    read = std::move(written_algorithms(std::move(file)).front());
  }
  if (const std::string here = program_hash(read->program, {}); here != hash) {
    throw UserError(
        fmt::format("{} is not the same program here ({}:{}) as where the sweep began ({}:{})",
                    path, kHashName, here, kHashName, hash));
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
    throw UserError(
        fmt::format("this cell has schema {} and version {}; expected {} and version {}",
                    text_of("schema"), text_of("version"), kSchema, version_and_build()));
  }
  check_against_schema(json, "tutti-cell-1");
  ReceivedCell received;
  Case& cell = received.cell;
  if (json.contains("program")) {
    cell.algorithm = &program(json.at("program"), json.at("algorithm").get<std::string>());
  } else {
    cell.algorithm = &algorithm_named(json.at("algorithm").get<std::string>());
  }
  cell.problem = problem_of(json.at("problem"), cell.algorithm->collective);
  cell.ties = json.value("ties", false);
  MachineSpec spec = spec_of(json.at("machine"));
  const MachineFiles& files = files_of(spec);
  auto machine = std::make_unique<Machine>(
      machine_of(json.at("machine"), cell.problem, std::move(spec), files));
  if (cell.ties) {
    machine->setup.ties = default_tie_probe(*machine);
  }
  received.machine = std::move(machine);
  cell.machine = received.machine.get();
  json.at("machine").at("platform_id").get_to(received.platform_id);
  return received;
}

}}  // namespace tutti::experiments
