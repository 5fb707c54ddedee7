#include "src/simulation/engines/engine_type.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace simulation {

#define TUTTI_ENGINE(engine)                   \
  namespace engines {                          \
  extern const EngineType engine; /* NOLINT */ \
  }
#include "src/simulation/engines/engines.def"
#undef TUTTI_ENGINE

namespace {

constexpr std::array kEngines{
#define TUTTI_ENGINE(engine) &engines::engine,
#include "src/simulation/engines/engines.def"
#undef TUTTI_ENGINE
};

}  // namespace

std::span<const EngineType* const> engine_types() { return kEngines; }

const EngineType* find_engine(std::string_view name) {
  for (const EngineType* engine : kEngines) {
    if (engine->name == name) {
      return engine;
    }
  }
  return nullptr;
}

const EngineType& engine_named(std::string_view name) {
  if (const EngineType* engine = find_engine(name)) {
    return *engine;
  }
  throw UserError(fmt::format("unknown engine '{}'; expected {}", name, engine_names()));
}

std::string engine_names() {
  std::vector<std::string_view> names;
  for (const EngineType* engine : kEngines) {
    names.push_back(engine->name);
  }
  return alternatives(names);
}

std::string engine_version(const Machine& machine) {
  std::string text = fmt::format("{} {}", machine.engine->name, machine.engine->version);
  if (machine.both_engines()) {
    const EngineType& judge = engine_named("simgrid");
    text += fmt::format(", {} {}", judge.name, judge.version);
  }
  return runs_on_simgrid_platform(machine) ? fmt::format("{}, SimGrid {}", text, simgrid_version())
                                           : text;
}

}}  // namespace tutti::simulation
