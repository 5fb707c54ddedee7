// What a schedule is to run on, as somebody asks for it: values, before it is known how many ranks
// there are.
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
#include "sim/disturbance.hpp"
#include "sim/messages/message_model.hpp"
#include "src/simulation/library_work.hpp"

namespace tutti::inline platforms {
class ClusterPlatform;
}  // namespace tutti::inline platforms

namespace tutti::inline simulation {

// Whether one rank may be simulated for all, where they are alike (schedules/symmetry.hpp).
enum class SymmetryUse : std::uint8_t {
  automatic,  // wherever that is exact
  off,
  on,  // or nothing
};
// "auto", "off" or "on".
[[nodiscard]] std::string_view name(SymmetryUse use);
[[nodiscard]] std::optional<SymmetryUse> symmetry_use_named(std::string_view word);

// Hosts that somebody names, those that a scheduler gave to a job, before any platform was asked
// whether it has them.
struct NamedHosts {
  std::string option;    // "--hosts 'alloc.csv'", for messages
  std::string from;      // for people: the name of the file, or "--hosts"
  std::string file;      // as the user gave it; "" for a list
  bool by_rank = false;  // the host of each rank; else hosts, each of them once
  std::vector<std::string> names;
  std::vector<std::uint32_t> lines;  // where in the file each of them is, from 1 on; or empty

  friend bool operator==(const NamedHosts&, const NamedHosts&) = default;
};

// Machines of all numbers of ranks share them.
struct SharedHosts : std::shared_ptr<const NamedHosts> {
  using std::shared_ptr<const NamedHosts>::shared_ptr;
  friend bool operator==(const SharedHosts& a, const SharedHosts& b) {
    return a && b ? *a == *b : !a && !b;
  }
};

// The price of a byte copied within a rank.
struct CopyPrice {
  double s_per_byte = 0;
  bool as_gamma = false;  // in place of that, as much as a byte reduced takes on the platform
  double times = 1;

  friend bool operator==(const CopyPrice&, const CopyPrice&) = default;
};

struct MachineSpec {
  PlatformSource source;
  bool crossbar_named = false;  // with its hosts; else it is made with as many as ranks need
  // An engine's name, "auto", or "both": flow, held against SimGrid.
  std::string engine = "auto";
  double engine_tolerance = 1e-6;  // of "both": how far an operation may be off, over the total
  SymmetryUse symmetry = SymmetryUse::automatic;
  std::string network_model = "hockney";
  std::optional<std::uint32_t> ports;  // nothing: 1, or as many as the messages of the files say
  Placement placement = Placement::block;
  std::string placement_given;  // who asks for it, for messages: "$placement 'switch'"
  std::optional<std::uint32_t> placement_seed;  // ranks are on hosts drawn with it
  SharedHosts hosts;                            // that ranks are on; or null
  PriceOverrides prices;
  CopyPrice copy;
  std::string parameters;      // the file that prices, curves or messages are from; "" for none
  bool after_barrier = false;  // ranks begin as they leave a barrier; where messages are modelled
  std::optional<std::uint64_t> eager_bytes;  // up to this size; nothing: no message is eager
  PlatformChanges changes;                   // what if the platform were otherwise; after `prices`
  Disturbance disturbance;
  std::string late_ranks;             // the file that disturbance.late_s is from
  std::vector<std::string> what_ifs;  // `changes` and the rest, as the user wrote them

  // No platform file.
  [[nodiscard]] bool built_in() const { return source.file.empty(); }
  [[nodiscard]] bool made_on_the_fly() const { return built_in() && !crossbar_named; }
  [[nodiscard]] bool both_engines() const { return engine == "both"; }

  friend bool operator==(const MachineSpec&, const MachineSpec&) = default;
};

// Calls visit(name, value) with each field of a spec, const or not, that is a single value: the one
// list of them. Cells of a sweep and the keys of databases follow from it; a field whose value is
// not the default, and that no column of the key has, stands in the key's prices. Left out are
// engine_tolerance, which changes no time, and what `copy` is before machine() settles its price.
template <typename Spec, typename Visit>
void for_each_field(Spec& spec, Visit&& visit) {
  visit("engine", spec.engine);
  visit("symmetry", spec.symmetry);
  visit("network_model", spec.network_model);
  visit("ports", spec.ports);
  visit("placement", spec.placement);
  visit("placement_seed", spec.placement_seed);
  visit("alpha_s", spec.prices.alpha_s);
  visit("beta_s_per_byte", spec.prices.beta_s_per_byte);
  visit("gamma_s_per_byte", spec.prices.gamma_s_per_byte);
  visit("copy_s_per_byte", spec.copy.s_per_byte);
  visit("after_barrier", spec.after_barrier);
  visit("eager_bytes", spec.eager_bytes);
}

// The contents of the files that a spec names: read once, and shared by machines of any number of
// ranks.
struct MachineFiles {
  std::shared_ptr<const ClusterPlatform> cluster = nullptr;  // if routes need no SimGrid
  std::optional<std::string> unmodelled = {};                // what only SimGrid simulates of it
  std::shared_ptr<const CostCurves> curves = nullptr;        // measured costs
  // How messages are sent, in place of the platform's latencies and bandwidths alone; null: those.
  std::shared_ptr<const MessageModel> messages = nullptr;
  MpiLibrary library = MpiLibrary::other;  // that sends them
};

// Reads the platform, if there is a file of it. Throws UserError for one that cannot be read.
void open_platform(const MachineSpec& spec, MachineFiles& files);

struct Machine;  // src/simulation/machine.hpp

struct OpenedMachine {
  MachineSpec spec;
  MachineFiles files;

  // Throws UserError for ranks that do not fit, for what the platform does not say, and for an
  // engine that does not model it.
  [[nodiscard]] Machine machine(std::uint32_t ranks, std::uint32_t ranks_per_host,
                                std::uint32_t element_bytes) const;
  // As of the machine.
  [[nodiscard]] bool has_reducing_switches() const;
  // And the engine and the prices asked for know of them.
  [[nodiscard]] bool runs_switches() const;
};

}  // namespace tutti::inline simulation
