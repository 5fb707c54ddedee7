#include "src/experiments/sweep/cell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
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
#include "src/formats/document.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/option_json.hpp"
#include "src/formats/visited_fields.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/simulation/machine.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Json = nlohmann::ordered_json;  // for writing: keys keep their order
using ReadJson = nlohmann::json;

// The lists of members from which cells are written, read, and described in the schema.

constexpr double kMostRanksOfCell = 1U << 23U;

struct CrossbarMembers {
  using Object = Crossbar;
  template <typename Figures, typename Visit>
  static void each(Figures& crossbar, const Visit& visit) {
    visit("hosts", crossbar.hosts, between(1, kMostU32));
    visit("latency_s", crossbar.latency_s, at_most(1e9));
    visit("bandwidth_bytes_per_s", crossbar.bandwidth_bytes_per_s, between(1e-9, 1e24));
    visit("speed_flops_per_s", crossbar.speed_flops_per_s, above(0));
  }
};

struct LimitMembers {
  using Object = ProgramLimits;
  template <typename Limits, typename Visit>
  static void each(Limits& limits, const Visit& visit) {
    visit("operations", limits.operations, FieldLimits());
    visit("steps", limits.steps, FieldLimits());
    visit("memory_bytes", limits.memory_bytes, FieldLimits());
    visit("nesting", limits.nesting, at_most(kMostU32));
  }
};

struct ProblemMembers {
  using Object = Problem;
  template <typename Member, typename Visit>
  static void each(Member& problem, const Visit& visit) {
    visit("ranks", problem.ranks, between(1, kMostRanksOfCell));
    visit("bytes", problem.bytes, at_most(kMaxMessageBytes),
          "Size of the largest buffer that any rank holds.");
    visit("element_bytes", problem.element_bytes, between(1, 1U << 20U));
    visit("root", problem.root, at_most(kMostRanksOfCell - 1));
  }
};

struct SpecMembers {
  using Object = MachineSpec;
  template <typename Spec, typename Visit>
  static void each(Spec& spec, const Visit& visit) {
    for_each_field(spec, [&visit](const char* field, auto& value) {
      visit(field, value, limits<std::remove_cvref_t<decltype(value)>>());
    });
  }
  template <typename Value>
  static constexpr FieldLimits limits() {
    if constexpr (std::is_same_v<Value, SymmetryUse>) {
      return one_of(kSymmetryUses);
    } else if constexpr (std::is_same_v<Value, Placement>) {
      return one_of(formats::words_of<kPlacements>);
    } else if constexpr (std::is_same_v<Value, std::optional<std::uint64_t>>) {
      return at_most(kMaxMessageBytes);
    } else if constexpr (std::is_same_v<Value, std::optional<std::uint32_t>>) {
      return at_most(kMostU32);
    } else if constexpr (std::is_same_v<Value, double> ||
                         std::is_same_v<Value, std::optional<double>>) {
      return at_most(1e9);
    } else {
      return {};
    }
  }
};

template <typename Members>
inline constexpr FieldsOf<typename Members::Object> kMembers{VisitedFields<Members>::view};

template <typename Value>
void read(const ReadJson& json, Value& value) {
  json.get_to(value);
}
void read(const ReadJson& json, SymmetryUse& value) {
  value = symmetry_use_named(json.get<std::string>()).value();
}
void read(const ReadJson& json, Placement& value) {
  value = placement_named(json.get<std::string>()).value();
}
template <typename Value>
void read(const ReadJson& json, std::optional<Value>& value) {
  value = json.is_null() ? std::nullopt : std::optional(json.get<Value>());
}

// Reads members from JSON that has been checked against the schema.
template <typename Members>
void read_members(const ReadJson& json, typename Members::Object& object) {
  Members::each(object, [&json](const char* field, auto& value, const auto&... /*limits*/) {
    read(json.at(field), value);
  });
}

Problem problem_of(const ReadJson& json, Collective collective) {
  Problem problem;
  problem.collective = collective;
  read_members<ProblemMembers>(json, problem);
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

std::vector<ProgramParameter> parameters_of(const ReadJson& json) {
  std::vector<ProgramParameter> parameters;
  if (json.contains("parameters")) {
    for (const auto& [name, value] : json.at("parameters").items()) {
      parameters.push_back({name, value.get<std::int64_t>()});
    }
  }
  return parameters;
}

MachineSpec spec_of(const ReadJson& json) {
  MachineSpec spec;
  spec.crossbar_named = json.contains("crossbar");
  if (spec.crossbar_named) {
    read_members<CrossbarMembers>(json.at("crossbar"), spec.source.crossbar);
  } else {
    json.at("platform").get_to(spec.source.file);
  }
  spec.parameters = json.value("parameters", "");
  read_members<SpecMembers>(json, spec);
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

namespace cell_fields {

struct ProgramInCell {
  const Program& program;
  const Problem& problem;
};

// Nothing if the program has no parameters.
auto parameters_if_any(const ProgramInCell& of) {
  std::vector<std::pair<std::string, std::int64_t>> values;
  for (const ProgramParameter& parameter : of.program.parameters()) {
    values.emplace_back(parameter.name, parameter.value);
  }
  return value_if(!values.empty(), values);
}

// The limits of a program are part of the cell, since a limit that is reached changes the result.
constexpr auto kProgram = fields<ProgramInCell>({
    {"file",
     [](const ProgramInCell& of) { return utf8_path("the program", of.program.file(of.problem)); },
     "Absolute path of the program's file."},
    {"hash", [](const ProgramInCell& of) { return program_hash(of.program, of.problem); },
     like("^[0-9a-f]{32}$", 32),
     "Hash of the program's text and of the values of its parameters. A worker that computes "
     "another hash rejects the cell."},
    {kMembers<LimitMembers>,
     [](const ProgramInCell& of) -> const ProgramLimits& { return of.program.limits(); }},
    {"parameters", from<parameters_if_any>, absent | at_least(0),
     "Values of the parameters that the program declares, by name."},
});

constexpr auto kProblem = fields<Problem>({
    kMembers<ProblemMembers>,
    {"options", FieldsOf<Problem>{option_fields},
     [](const Problem& problem) -> const Problem& { return problem; },
     "Options that differ from their defaults. The keys are the same as in tutti-result/1."},
});

struct MachineInCell {
  const Machine& machine;
  MachineSpec spec;  // settled_spec()
  const std::string& platform_id;
};

constexpr auto kMachine = fields<MachineInCell>({
    {"platform_id", [](const MachineInCell& of) -> const std::string& { return of.platform_id; },
     "\"xxh128:\" and the hash of the platform file, or the figures of the crossbar; then the hash "
     "of the parameters file, if there is one. A worker whose files have another id rejects the "
     "cell."},
    {"crossbar", kMembers<CrossbarMembers>,
     [](const MachineInCell& of) {
       return of.spec.built_in() ? &of.spec.source.crossbar : nullptr;
     },
     in_form(1)},
    {"platform",
     [](const MachineInCell& of) {
       return of.spec.built_in() ? std::nullopt
                                 : std::optional(utf8_path("$platform", of.spec.source.file));
     },
     in_form(2), "Absolute path of the platform file."},
    {"parameters",
     [](const MachineInCell& of) {
       return of.spec.parameters.empty()
                  ? std::nullopt
                  : std::optional(utf8_path("$parameters", of.spec.parameters));
     },
     absent, "Absolute path of the file of --parameters. Absent without this option."},
    {kMembers<SpecMembers>, [](const MachineInCell& of) -> const MachineSpec& { return of.spec; }},
    {"ranks_per_host", [](const MachineInCell& of) { return of.machine.mapping.ranks_per_host; },
     between(1, kMostU32)},
    {"host_of_rank", [](const MachineInCell& of) { return of.machine.mapping.host_of_rank.get(); },
     absent | items_from(1) | at_most(kMostU32),
     "Host of each rank, as its position in the platform. Present if --hosts names the hosts or if "
     "they were drawn at random; `placement` then has no effect."},
});

constexpr auto kCell = fields<Case>({
    {"version", [](const Case& /*cell*/) { return version_and_build(); },
     "Version of tutti with its build, such as 0.1.0+3f2a9c01d2e4. A worker of another build "
     "rejects the cell."},
    {"algorithm", [](const Case& cell) { return cell.algorithm->full_name(); }},
    {"program", kProgram,
     [](const Case& cell) {
       const Program* const program = cell.algorithm->program;
       return program == nullptr ? std::nullopt
                                 : std::optional(ProgramInCell{*program, cell.problem});
     },
     absent,
     "The user's program that makes the schedule, and its limits. Absent for a built-in "
     "algorithm."},
    {"problem", kProblem, member<&Case::problem>},
    {"ties", [](const Case& cell) { return value_if(cell.ties, true); }, absent | only_true,
     "The run checks whether its time depends on ties. Absent if it does not check this."},
    {"machine", kMachine, required},
});

constexpr DocumentOf<Case> kDocument{{.schema = "tutti-cell/1",
                                      .title = "a cell of a sweep, as 'tutti worker' reads it, one "
                                               "per line",
                                      .fields = kCell.view(),
                                      .has_made_by = false}};

}  // namespace cell_fields

}  // namespace

const DocumentType& cell_document() { return cell_fields::kDocument; }

std::string machine_text(const Machine& machine, const std::string& platform_id) {
  const cell_fields::MachineInCell object{machine, settled_spec(machine), platform_id};
  Json json;
  put_object(json, cell_fields::kMachine.view(), &object);
  return json.dump();
}

std::string to_line(const Case& cell, const std::string& machine) {
  std::string line = document_json(cell_fields::kDocument, cell).dump();
  line.pop_back();
  return line + R"(,"machine":)" + machine + '}';
}

void check_platform_id(const MachineSpec& spec, const std::string& id) {
  const std::string here = platform_id(spec);
  if (here == id) {
    return;
  }
  std::vector<std::string> files;
  for (const std::string& file : {spec.source.file, spec.parameters}) {
    if (!file.empty()) {
      files.push_back(user_text(file));
    }
  }
  throw UserError(fmt::format(
      "{} is not the same {} here ({}) as where the sweep began ({}); $retry_failed tries again",
      files.empty() ? "the crossbar" : fmt::format("{}", fmt::join(files, " or ")),
      files.empty() ? "one" : "file", here, id));
}

const MachineFiles& CellReader::files_of(const MachineSpec& spec, const std::string& id) {
  FilesWithId& known = files_[{platform_text(spec), spec.network_model, spec.parameters}];
  const bool has_files = !spec.built_in() || !spec.parameters.empty();
  if (has_files && known.id != id) {
    check_platform_id(spec, id);
    MachineFiles files;
    open_platform(spec, files);
    if (!spec.parameters.empty()) {
      read_parameters(spec.parameters).put_into(files);
    }
    check_platform_id(spec, id);  // the files may have changed while they were read
    known = {id, std::move(files)};
  }
  return known.files;
}

const Algorithm& CellReader::program(const ReadJson& named, const std::string& full_name) {
  const auto path = named.at("file").get<std::string>();
  const auto hash = named.at("hash").get<std::string>();
  ProgramLimits limits;
  read_members<LimitMembers>(named, limits);
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
                    user_text(path), kHashName, here, kHashName, hash));
  }
  return programs_.emplace_back(std::move(read))->algorithm;
}

ReceivedCell CellReader::read(const std::string& line) {
  const std::string_view schema = cell_document().schema;
  const ReadJson json = parse_json(line);
  const auto is = [&json](const char* key, std::string_view wanted) {
    return json.is_object() && json.contains(key) && json.at(key) == wanted;
  };
  if (!is("schema", schema) || !is("version", version_and_build())) {
    const auto text_of = [&json](const char* key) {
      const bool has = json.is_object() && json.contains(key) && json.at(key).is_string();
      return has ? printable(json.at(key).get<std::string>().substr(0, 60)) : "nothing";
    };
    throw UserError(
        fmt::format("this cell has schema {} and version {}; expected {} and version {}",
                    text_of("schema"), text_of("version"), schema, version_and_build()));
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
  json.at("machine").at("platform_id").get_to(received.platform_id);
  const MachineFiles& files = files_of(spec, received.platform_id);
  auto machine = std::make_unique<Machine>(
      machine_of(json.at("machine"), cell.problem, std::move(spec), files));
  if (cell.ties) {
    machine->setup.ties = default_tie_probe(*machine);
  }
  received.machine = std::move(machine);
  cell.machine = received.machine.get();
  return received;
}

}}  // namespace tutti::experiments
