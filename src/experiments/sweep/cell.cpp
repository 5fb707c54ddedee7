#include "src/experiments/sweep/cell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
#include "schedules/registry.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/option_json.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/simulation/machine.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Json = nlohmann::ordered_json;  // for writing: keys keep their order
using ReadJson = nlohmann::json;

constexpr const char* kSchema = "tutti-cell/1";

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

}  // namespace

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
