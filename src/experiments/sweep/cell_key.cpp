// Keys of cells, and ids of platforms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/hash.hpp"
#include "platforms/platform_files.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

namespace {

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
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
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
    if constexpr (!std::is_enum_v<Value>) {
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

// Returns "xxh128:" and the hash of the concatenated files.
std::string hash_of_files(const std::vector<std::string>& files, const InputKind& kind) {
  std::string text;
  for (const std::string& file : files) {
    text += FileText(file, kind).view();
  }
  return fmt::format("{}:{}", kHashName, hash_of(text));
}

}  // namespace

MachineSpec settled_spec(const Machine& machine) {
  MachineSpec spec = machine.spec;
  spec.engine = engine_name(machine);
  spec.copy.s_per_byte = machine.copy_s_per_byte;
  return spec;
}

std::string program_hash(const Program& program, const Problem& problem) {
  return hash_of(program.text(problem) + program.settings());
}

std::string platform_text(const MachineSpec& spec) {
  const Crossbar& crossbar = spec.source.crossbar;
  return spec.built_in() ? fmt::format("crossbar:{},bw={}Bps,lat={}s,speed={}f", crossbar.hosts,
                                       crossbar.bandwidth_bytes_per_s, crossbar.latency_s,
                                       crossbar.speed_flops_per_s)
                         : spec.source.file;
}

std::string platform_id(const MachineSpec& spec) {
  std::string id = spec.built_in() ? platform_text(spec)
                                   : hash_of_files(platform_files(spec.source.file), kPlatformFile);
  if (!spec.parameters.empty()) {
    id += ",parameters=" + hash_of_files({spec.parameters}, kParametersFile);
  }
  return id;
}

const std::string& PlatformIds::of(const Machine& machine) {
  const MachineSpec& spec = machine.spec;
  const auto [at, added] = known_.try_emplace(platform_text(spec) + '\0' + spec.parameters);
  if (added) {
    at->second = platform_id(spec);
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

}}  // namespace tutti::experiments
