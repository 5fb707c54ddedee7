#include "simulation/engines/engine_type.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"

namespace tutti {

#define TUTTI_ENGINE(engine)                   \
  namespace engines {                          \
  extern const EngineType engine; /* NOLINT */ \
  }
#include "simulation/engines/engines.def"
#undef TUTTI_ENGINE

namespace {

constexpr std::array kEngines{
#define TUTTI_ENGINE(engine) &engines::engine,
#include "simulation/engines/engines.def"
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
  throw UserError(fmt::format("unknown engine '{}'; there are {}", name, engine_names()));
}

std::string engine_names() {
  std::string names;
  for (std::size_t i = 0; i < kEngines.size(); ++i) {
    names += i == 0 ? "" : i + 1 == kEngines.size() ? " or " : ", ";
    names += kEngines[i]->name;
  }
  return names;
}

}  // namespace tutti
