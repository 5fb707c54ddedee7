// The machine that a schedule runs on: platform, engine, ports, prices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"
#include "platforms/platform_shape.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"
#include "sim/messages/library_work.hpp"
#include "sim/messages/message_model.hpp"
#include "src/simulation/library_work.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti { inline namespace simulation {

struct EngineType;   // src/simulation/engines/engine_type.hpp
struct RoutesInUse;  // src/simulation/simgrid_run.hpp
// Returns the engine of this name. Throws UserError, which lists all engines, if there is none.
[[nodiscard]] const EngineType& engine_named(std::string_view name);

// Describes, for reports, how the host of each rank was determined.
struct HostSource {
  std::string from;            // a file's name without its folder, or "--hosts"
  std::uint32_t given = 0;     // number of hosts in the list; with by_rank, number of ranks in it
  bool by_rank = false;        // true: the list has a host for each rank
  std::uint32_t per_host = 1;  // number of ranks on each host, unless by_rank
  std::uint32_t used = 0;      // number of different hosts with ranks
  std::vector<std::string> names;  // name of each rank's host
};

// Data for a run to record, in addition to its times.
struct RunOptions {
  bool link_statistics = false;
  bool keep_routes = false;  // routes of messages; flow engine only
  // Timeline::arrival_s and Timeline::at_ends_s, which only a critical chain needs.
  bool message_ends = true;
};

// A MachineSpec, resolved for a given number of ranks.
struct Machine {
  // Defaulted in the source file: otherwise, dozens of objects would each have this code.
  Machine();
  Machine(const Machine&);
  Machine(Machine&&) noexcept;
  Machine& operator=(const Machine&);
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  // If the user gave no number of hosts, the crossbar has as many as the ranks need.
  MachineSpec spec;
  MachineFiles files;
  const EngineType* engine = &engine_named("simgrid");  // choose_engine() may change this
  std::string auto_reason;                              // why "auto" chose SimGrid
  Mapping mapping;
  std::shared_ptr<const HostSource> host_source;  // origin of mapping.host_of_rank; or null
  RunSetup setup;
  double copy_s_per_byte = 0;
  std::uint32_t element_bytes = 8;
  // Work of the MPI library for the algorithm that runs; counts only with files.messages.
  LibraryWork library_work;
  RunOptions record;
  // The routes of this machine, with its prices and changes, if SimGrid was asked for them
  // (ask_for_routes()); otherwise null.
  std::shared_ptr<const RoutesInUse> routes;

  [[nodiscard]] bool built_in() const { return spec.built_in(); }
  [[nodiscard]] bool both_engines() const { return spec.both_engines(); }
};

// Returns the built-in crossbar with the user's prices and changes. Returns nothing if the platform
// is a file, or if the changes make links or hosts unequal or remove the sharing of links. A beta
// of 0 would need infinite bandwidth, so it leaves the crossbar's bandwidth as it is.
[[nodiscard]] std::optional<Crossbar> plain_crossbar(const Machine& machine);
// Returns the platform without the user's changes, as a cluster, whose links are known one by one.
// A built-in crossbar is converted to a cluster. Returns null if only SimGrid knows the links.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> known_cluster(const Machine& machine);
// Returns the shape of the platform. PlatformShape::link_ends() takes the numbers of links in the
// network between the hosts in use.
[[nodiscard]] PlatformShape platform_shape(const Machine& machine);
// Returns the user's prices, which replace the platform's prices in the formulas. If the user
// changes the platform (MachineSpec::changes), the result is empty, because the facts of the
// changed platform already include these prices.
[[nodiscard]] PriceOverrides lasting_overrides(const Machine& machine);

// Sets the number of ranks, and the number of ranks on each host. If the user gave no number of
// hosts, the crossbar gets as many as the ranks need. Throws UserError if the ranks do not fit on
// the crossbar that the user gave.
void place_ranks(Machine& machine, std::uint32_t ranks, std::uint32_t ranks_per_host);
inline constexpr std::array kPlacements{Placement::block, Placement::cyclic, Placement::by_switch};
// Returns the placement of this name: "block", "cyclic", "switch" or "by-switch". Returns nothing
// for other words.
[[nodiscard]] std::optional<Placement> placement_named(std::string_view word);
[[nodiscard]] std::string_view name(Placement placement);
// Sets the placement of the ranks. Throws UserError, with a message that begins with `given`, if
// ranks are placed by switch but the platform does not say which hosts share a switch.
void use_placement(Machine& machine, Placement placement, const std::string& given);
// Returns the name of the platform for display: the file's name without its folder, or
// "crossbar:8".
[[nodiscard]] std::string platform_name(const Machine& machine);

// Takes measured costs and the message model from `files`. The machine's mapping must be set,
// because it determines which ranks share a node. Leaves the prices unchanged.
void use_files(Machine& machine, MachineFiles files);

// Sets Machine::engine to the engine that the spec asks for. "auto" becomes flow if flow is known
// to be exact, and SimGrid otherwise. Throws UserError for an engine that does not model the
// machine.
void choose_engine(Machine& machine);

// Returns the check for ties that a run makes if the user does not ask for one. An engine that
// cannot shift starts makes no check. Other engines check only schedules for which this is cheap.
[[nodiscard]] TieProbe default_tie_probe(const Machine& machine);

// Facts and prices of a machine, which are known without running a schedule on it.
struct MachineFacts {
  PlatformFacts facts;
  Prices prices;
};
[[nodiscard]] MachineFacts describe(const Machine& machine);

}}  // namespace tutti::simulation
