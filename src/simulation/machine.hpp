// On what a schedule runs: platform, engine, ports, prices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"
#include "sim/messages/library_work.hpp"
#include "sim/messages/message_model.hpp"
#include "src/simulation/library_work.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti::inline simulation {

struct EngineType;  // src/simulation/engines/engine_type.hpp
// Throws UserError that names all.
[[nodiscard]] const EngineType& engine_named(std::string_view name);

// Who said which host each rank is on.
struct HostsSaid {
  std::string from;                // a file's name without its folder, or "--hosts"
  std::uint32_t given = 0;         // hosts, or ranks where it has a host for each rank
  bool by_rank = false;            // it has
  std::uint32_t per_host = 1;      // else, so many ranks are on each host
  std::uint32_t used = 0;          // different hosts that ranks are on
  std::vector<std::string> names;  // of the host of each rank
};

// What a run records beside its times.
struct RunOptions {
  bool link_statistics = false;
  bool keep_routes = false;  // that messages take; of the flow engine
};

// What a spec comes to, for given ranks.
struct Machine {
  MachineSpec spec;  // its crossbar has as many hosts as the ranks need, where nobody named one
  MachineFiles files;
  const EngineType* engine = &engine_named("simgrid");  // choose_engine() may take another
  std::string auto_reason;                              // why "auto" went to SimGrid
  Mapping mapping;
  std::shared_ptr<const HostsSaid> hosts_said;  // where mapping.host_of_rank is from; or null
  RunSetup setup;
  double copy_s_per_byte = 0;
  std::uint32_t element_bytes = 8;
  LibraryWork library_work;  // of the algorithm that runs; with files.messages
  RunOptions record;

  [[nodiscard]] bool built_in() const { return spec.built_in(); }
  [[nodiscard]] bool both_engines() const { return spec.both_engines(); }
};

// The built-in crossbar with the user's prices and changes, where that is one: where links and
// hosts stay alike. A price of 0 per byte has no bandwidth to stand for it, and leaves that as it
// is.
[[nodiscard]] std::optional<Crossbar> plain_crossbar(const Machine& machine);
// The platform that changes are made to, link by link, before them: a cluster, or a crossbar as
// one; null where only SimGrid knows the links.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> known_cluster(const Machine& machine);
// `prices` of the formulas in place of the platform's, as far as changes leave them.
[[nodiscard]] PriceOverrides lasting_overrides(const Machine& machine);

// How many ranks there are, and on each host. A crossbar that nobody named has as many hosts as
// they need. Throws UserError for ranks that do not fit on a named one.
void place_ranks(Machine& machine, std::uint32_t ranks, std::uint32_t ranks_per_host);
// "block", "cyclic", "switch" or "by-switch"; nothing for other words.
[[nodiscard]] std::optional<Placement> placement_named(std::string_view word);
[[nodiscard]] std::string_view name(Placement placement);
// Throws UserError, which begins with `given`, for ranks that are to be placed by switch where the
// platform does not say which hosts are at one.
void use_placement(Machine& machine, Placement placement, const std::string& given);
// For people: the name of the file without its folder, or "crossbar:8".
[[nodiscard]] std::string platform_name(const Machine& machine);

// What the files say of costs and messages, with the machine's mapping: which ranks share a node.
// The prices stay.
void use_files(Machine& machine, MachineFiles files);

// Sets Machine::engine to what the spec's comes to: "auto" is flow where it is known to
// be exact, and SimGrid otherwise. Throws UserError for an engine that does not model the machine.
void choose_engine(Machine& machine);

// How to look for ties where nobody asks for it: not at all with an engine that cannot move starts,
// and only where it is cheap.
[[nodiscard]] TieProbe unasked_ties(const Machine& machine);

// What a machine is, without running anything on it.
struct MachineFacts {
  PlatformFacts facts;
  Prices prices;
};
[[nodiscard]] MachineFacts describe(const Machine& machine);

}  // namespace tutti::inline simulation
