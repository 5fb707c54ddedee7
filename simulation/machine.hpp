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
#include "simulation/library_work.hpp"

namespace tutti::inline platforms {
class ClusterPlatform;
}  // namespace tutti::inline platforms

namespace tutti::inline simulation {

struct EngineType;  // simulation/engines/engine_type.hpp
// Throws UserError that names all.
[[nodiscard]] const EngineType& engine_named(std::string_view name);

// Whether one rank may be simulated for all, where they are alike (schedules/symmetry.hpp).
enum class SymmetryUse : std::uint8_t {
  automatic,  // wherever that is exact
  off,
  on,  // or nothing
};

// Who said which host each rank is on.
struct HostsSaid {
  std::string from;                // a file's name without its folder, or "--hosts"
  std::uint32_t given = 0;         // hosts, or ranks where it has a host for each rank
  bool by_rank = false;            // it has
  std::uint32_t per_host = 1;      // else, so many ranks are on each host
  std::uint32_t used = 0;          // different hosts that ranks are on
  std::vector<std::string> names;  // of the host of each rank
};

// What the options come to, for given ranks.
struct Machine {
  const EngineType* engine = &engine_named("simgrid");  // choose_engine() may take another
  // What the user asked for: an engine's name, "auto", or "both": flow, held against SimGrid.
  std::string engine_asked = "auto";
  double tolerance = 1e-6;  // of "both": how far an operation may be off, over the total
  std::string auto_reason;  // why "auto" went to SimGrid
  bool link_statistics = false;
  bool keep_routes = false;  // that messages take; of the flow engine
  SymmetryUse symmetry = SymmetryUse::automatic;
  PlatformSource source;
  // What source.file says, where its routes are known without SimGrid.
  std::shared_ptr<const ClusterPlatform> cluster;
  Mapping mapping;
  std::shared_ptr<const HostsSaid> hosts_said;  // where mapping.host_of_rank is from; or null
  std::optional<std::uint32_t> placement_seed;  // where mapping.host_of_rank was drawn
  std::string network_model = "hockney";
  RunSetup setup;
  PriceOverrides overrides;
  PlatformChanges changes;            // what if the platform were otherwise; after `overrides`
  std::vector<std::string> what_ifs;  // the same, and more, as the user wrote it
  double copy_s_per_byte = 0;
  std::uint32_t element_bytes = 8;
  // How messages are sent, in place of the platform's latencies and bandwidths alone; null: those.
  std::shared_ptr<const MessageModel> messages;
  MpiLibrary library = MpiLibrary::other;  // that sends them
  LibraryWork library_work;                // of the algorithm that runs; with `messages`
  bool after_barrier = false;              // ranks begin as they leave a barrier; with `messages`
  std::string parameters_file;  // where prices, and curves of `setup`, are from; "" for none

  bool crossbar_named = false;  // with --platform crossbar:HOSTS

  // No platform file.
  [[nodiscard]] bool built_in() const { return source.file.empty(); }
  [[nodiscard]] bool made_on_the_fly() const { return built_in() && !crossbar_named; }
  [[nodiscard]] bool both_engines() const { return engine_asked == "both"; }
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
// Throws UserError, which begins with `from`, for ranks that are to be placed by switch where it is
// not known which hosts are at one, and where the host of each rank has been said.
void use_placement(Machine& machine, Placement placement, const std::string& from);
// For people: the name of the file without its folder, or "crossbar:8".
[[nodiscard]] std::string platform_name(const Machine& machine);

// Measured costs, with the machine's mapping: which ranks share a node. The prices stay.
void use_curves(Machine& machine, const CostCurves& curves);

// How messages are sent.
void use_messages(Machine& machine, const MessageModel& model, MpiLibrary library);

// Sets Machine::engine to what Machine::engine_asked comes to: "auto" is flow where it is known to
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
