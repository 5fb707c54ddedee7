// What every engine says of itself: one struct per engine, in one file per engine in this folder. A
// new one is such a file, and a line in engines.def.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/simulation/engine_run.hpp"

namespace tutti::inline simulation {

struct EngineType {
  std::string_view name;      // "flow"
  std::string_view idea;      // for the help of --engine
  std::string_view in_words;  // for a result: "flow: every message simulated on the network"

  // Its results have a version: one more with every change of any of them.
  // tests/src/simulation/engine_versions.cpp holds it.
  int version = 1;
  bool has_network = true;    // else there are alpha, beta and gamma alone
  bool counts_links = false;  // can keep an account of links
  bool moves_starts = false;  // can move starts, to look for ties
  bool by_simgrid = false;    // SimGrid simulates

  // What of the machine the engine does not model, in words; nothing if it models all. May be null:
  // models all.
  std::optional<std::string> (*lacks)(const Machine&) = nullptr;
  // Whether a run needs a platform that SimGrid has loaded. May be null: never.
  bool (*needs_simgrid)(const Machine&) = nullptr;
  // Whether all ranks are alike on the machine, whatever the schedule, so that one can be simulated
  // for them all. May be null: never, for only an engine that has looked can know.
  bool (*all_alike)(const Machine&) = nullptr;

  // `facts`: of the machine, where they are known; null: the engine finds them. Throws UserError
  // when the platform is at fault.
  EngineRun (*run)(const Schedule&, const Machine&, const MachineFacts* facts) = nullptr;
  // One rank of each class for all, in this process; it may give back nothing to call. May be null.
  SymmetricRunner (*symmetric)(const Machine&) = nullptr;
};

[[nodiscard]] std::span<const EngineType* const> engine_types();

// Null where there is none of that name.
[[nodiscard]] const EngineType* find_engine(std::string_view name);
// engine_named() is in src/simulation/machine.hpp.

[[nodiscard]] std::string engine_names();

// What results on the machine depend on beside what was asked for: "flow 1"; and of which version
// SimGrid is, where it has a part in them: "flow 1, simgrid 1, SimGrid 3.32".
[[nodiscard]] std::string engine_version(const Machine& machine);

}  // namespace tutti::inline simulation
