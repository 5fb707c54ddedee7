// Description of an engine. Each engine defines its description in a file of its own in this
// folder. A new engine needs such a file, and a line in engines.def.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/simulation/engine_run.hpp"

namespace tutti { inline namespace simulation {

struct EngineType {
  std::string_view name;      // "flow"
  std::string_view idea;      // description for the help of --engine
  std::string_view in_words;  // description for reports

  // Version of the engine's results. Must be incremented whenever any result changes;
  // tests/src/simulation/engine_versions.cpp checks this.
  int version = 1;
  bool has_network = true;    // false: times depend only on alpha, beta and gamma
  bool counts_links = false;  // true: the engine can collect link statistics
  bool moves_starts = false;  // true: the engine can shift starts, to check for ties
  bool by_simgrid = false;    // true: SimGrid runs the simulation

  // Names the part of the machine that the engine does not model; returns nothing if it models the
  // whole machine.
  std::optional<std::string> (*lacks)(const Machine&) =
      [](const Machine&) -> std::optional<std::string> { return std::nullopt; };
  // True if a run needs a platform that SimGrid has loaded.
  bool (*needs_simgrid)(const Machine&) = [](const Machine&) { return false; };
  // True if all ranks are equivalent on the machine, whatever the schedule, so that one rank can be
  // simulated in place of all. False if the engine cannot tell before a run.
  bool (*all_alike)(const Machine&) = [](const Machine&) { return false; };

  // Runs a schedule. `facts` are the machine's facts; if null, the engine determines them itself.
  // Throws UserError if the platform is invalid.
  EngineRun (*run)(const Schedule&, const Machine&, const MachineFacts* facts) = nullptr;
  // Returns a function that simulates one rank of each class in place of all ranks, in this
  // process, or an empty function.
  SymmetricRunner (*symmetric)(const Machine&) = [](const Machine&) { return SymmetricRunner(); };
};

[[nodiscard]] std::span<const EngineType* const> engine_types();

// Returns the engine of this name, or null. engine_named() in src/simulation/machine.hpp throws if
// there is no such engine.
[[nodiscard]] const EngineType* find_engine(std::string_view name);
// Returns the names of all engines, for error messages: "flow, simgrid or critical-path".
[[nodiscard]] std::string engine_names();

// Returns the versions that results on the machine depend on: "flow 1". If SimGrid takes part, its
// version is included: "flow 1, simgrid 1, SimGrid 3.32".
[[nodiscard]] std::string engine_version(const Machine& machine);

}}  // namespace tutti::simulation
