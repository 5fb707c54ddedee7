// The machine that the user requests, as values: platform, engine, prices and changes. The number
// of ranks is not known yet.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
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

namespace tutti { inline namespace platforms {
class ClusterPlatform;
struct RouteSet;
}}  // namespace tutti::platforms

namespace tutti { inline namespace simulation {

// When to simulate one rank for each class of equivalent ranks (schedules/symmetry.hpp).
enum class SymmetryUse : std::uint8_t {
  automatic,  // whenever the result is exact
  off,
  on,  // always; it is an error if one rank cannot represent its class
};
// Names of these values, in the order of the enum.
inline constexpr std::array<std::string_view, 3> kSymmetryUses{"auto", "off", "on"};
[[nodiscard]] std::string_view name(SymmetryUse use);
[[nodiscard]] std::optional<SymmetryUse> symmetry_use_named(std::string_view word);

// Hosts that the user names, such as those that a scheduler gave to a job. They have not been
// checked against a platform yet.
struct NamedHosts {
  std::string option;  // "--hosts 'alloc.csv'", for error messages
  std::string from;    // name to display: the file's name, or "--hosts"
  std::string file;    // path as the user gave it; "" for a list
  // True: `names` has one host for each rank. False: `names` has each host once.
  bool by_rank = false;
  std::vector<std::string> names;
  std::vector<std::uint32_t> lines;  // line of each name in the file, from 1 on; empty for a list

  friend bool operator==(const NamedHosts&, const NamedHosts&) = default;
};

// Named hosts, shared by the machines for all numbers of ranks. Two pointers are equal if their
// hosts are equal.
struct SharedHosts : std::shared_ptr<const NamedHosts> {
  using std::shared_ptr<const NamedHosts>::shared_ptr;
  friend bool operator==(const SharedHosts& a, const SharedHosts& b) {
    return a && b ? *a == *b : !a && !b;
  }
};

// The price of a byte copied within a rank.
struct CopyPrice {
  double s_per_byte = 0;
  // True: a copied byte costs as much as a reduced byte on the platform; s_per_byte is then unused.
  bool as_gamma = false;
  double times = 1;

  friend bool operator==(const CopyPrice&, const CopyPrice&) = default;
};

// A what-if change to a number of the message model: value * factor, or the old value * factor.
struct ParameterChange {
  const MessageParameter* parameter = nullptr;
  std::optional<double> value = std::nullopt;
  double factor = 1;

  friend bool operator==(const ParameterChange&, const ParameterChange&) = default;
};

struct MachineSpec {
  // Defaulted in the source file: otherwise, dozens of objects would each have this code.
  MachineSpec();
  MachineSpec(const MachineSpec&);
  MachineSpec(MachineSpec&&) noexcept;
  MachineSpec& operator=(const MachineSpec&);
  MachineSpec& operator=(MachineSpec&&) noexcept;
  ~MachineSpec();

  PlatformSource source;
  // True if the user gave a crossbar with its number of hosts. A crossbar that the user did not
  // give gets as many hosts as the ranks need.
  bool crossbar_named = false;
  // An engine's name, "auto", or "both", which compares the results of flow with those of SimGrid.
  std::string engine = "auto";
  // For "both": largest accepted difference between the engines in the start or the end of an
  // operation, relative to the total time.
  double engine_tolerance = 1e-6;
  SymmetryUse symmetry = SymmetryUse::automatic;
  bool all_rounds = false;  // simulates also the rounds that repeat those before
  std::string network_model = "hockney";
  std::optional<std::uint32_t> ports;  // unset: the number in the message model, or else 1
  Placement placement = Placement::block;
  // Option that sets `placement`, for error messages: "$placement 'switch'".
  std::string placement_given;
  std::optional<std::uint32_t> placement_seed;  // seed with which to draw the ranks' hosts
  SharedHosts hosts;                            // hosts that the user names for the ranks; or null
  PriceOverrides prices;
  CopyPrice copy;
  std::string parameters;      // file with the prices, curves or message model; "" for none
  bool after_barrier = false;  // ranks start when they leave a barrier; needs a message model
  // The barrier that a benchmark forces, "barrier/tree", or kOwnBarrier; "": that of the file of
  // --parameters.
  std::string barrier;
  // Size of the largest eager message. Unset: no message is eager.
  std::optional<std::uint64_t> eager_bytes;
  PlatformChanges changes;  // what-if changes to the platform, applied after `prices`
  // What-if changes to the message model, applied in this order, after the effects of `changes` and
  // copy.times on the model (src/simulation/message_changes.hpp).
  std::vector<ParameterChange> parameter_changes;
  Disturbance disturbance;
  std::string late_ranks;             // file that disturbance.late_s was read from
  std::vector<std::string> what_ifs;  // all what-if options, as the user wrote them

  // True if there is no platform file: the platform is a crossbar.
  [[nodiscard]] bool built_in() const { return source.file.empty(); }
  [[nodiscard]] bool made_on_the_fly() const { return built_in() && !crossbar_named; }
  [[nodiscard]] bool both_engines() const { return engine == "both"; }

  friend bool operator==(const MachineSpec&, const MachineSpec&);
};

// Calls visit(name, value) for each single-valued field of a spec, which may be const. The cells of
// sweeps and the keys of databases are derived from this list. A field for which the database has
// no column becomes part of the text in the column `prices`, unless it is zero, false or unset. The
// list omits engine_tolerance, which does not change any time, and CopyPrice::as_gamma and
// CopyPrice::times, whose effect a cell's copy.s_per_byte already includes.
template <typename Spec, typename Visit>
void for_each_field(Spec& spec, Visit&& visit) {
  visit("engine", spec.engine);
  visit("symmetry", spec.symmetry);
  visit("all_rounds", spec.all_rounds);
  visit("network_model", spec.network_model);
  visit("ports", spec.ports);
  visit("placement", spec.placement);
  visit("placement_seed", spec.placement_seed);
  visit("alpha_s", spec.prices.alpha_s);
  visit("beta_s_per_byte", spec.prices.beta_s_per_byte);
  visit("gamma_s_per_byte", spec.prices.gamma_s_per_byte);
  visit("copy_s_per_byte", spec.copy.s_per_byte);
  visit("after_barrier", spec.after_barrier);
  visit("barrier", spec.barrier);
  visit("eager_bytes", spec.eager_bytes);
}

struct ModelUncertainty;  // src/simulation/model_uncertainty.hpp

// The routes of a platform that SimGrid has found so far, without prices and changes.
struct KnownRoutes {
  std::mutex mutex;
  std::shared_ptr<const RouteSet> routes;  // null: none yet
};

// Contents of the files that a spec names. The files are read once, and machines for any number of
// ranks share the contents.
struct MachineFiles {
  // Set if routes are known without SimGrid.
  std::shared_ptr<const ClusterPlatform> cluster = nullptr;
  // Set if only SimGrid knows the routes.
  std::shared_ptr<KnownRoutes> known_routes = nullptr;
  // A feature of the platform that only SimGrid simulates; empty if there is none.
  std::optional<std::string> unmodelled = {};
  std::shared_ptr<const CostCurves> curves = nullptr;  // measured costs
  // Message model, which adds costs to the platform's latencies and bandwidths. Null: only the
  // platform's latencies and bandwidths count. What-ifs of the spec are not applied yet:
  // message_model() applies them.
  std::shared_ptr<const MessageModel> messages = nullptr;
  // Uncertainty of the message model; null if it is unknown.
  std::shared_ptr<const ModelUncertainty> uncertainty = nullptr;
  std::vector<JobKind> job_kinds = {};     // values of `messages` in jobs of some kinds
  std::string barrier = {};                // MachineSpec::barrier of specs that name none
  MpiLibrary library = MpiLibrary::other;  // the MPI library that sends the messages
  double read_s = 0;                       // wall-clock time to read the platform file

  // True if the platform declares switches that reduce and multicast (platforms/README.md), and the
  // links that lead to them are known.
  [[nodiscard]] bool has_reducing_switches() const;
};

// Reads the platform file, if the spec has one. Throws UserError if check_platform_file() refuses
// it.
void open_platform(const MachineSpec& spec, MachineFiles& files);

struct Machine;  // src/simulation/machine.hpp

struct OpenedMachine {
  MachineSpec spec;
  MachineFiles files;

  // Returns the machine for a number of ranks. Throws UserError if the ranks do not fit, if the
  // platform lacks something that the spec needs, or if the engine does not model the machine.
  [[nodiscard]] Machine machine(std::uint32_t ranks, std::uint32_t ranks_per_host,
                                std::uint32_t element_bytes) const;
  // True if the platform has reducing switches, and the requested engine and prices support them.
  [[nodiscard]] bool runs_switches() const;
};

}}  // namespace tutti::simulation
