#include "src/simulation/machine_spec.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/stopwatch.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/platform_files.hpp"
#include "platforms/xml_check.hpp"
#include "schedules/options/word_list.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/named_hosts.hpp"

namespace tutti { inline namespace simulation {

MachineSpec::MachineSpec() = default;
MachineSpec::MachineSpec(const MachineSpec&) = default;
MachineSpec::MachineSpec(MachineSpec&&) noexcept = default;
MachineSpec& MachineSpec::operator=(const MachineSpec&) = default;
MachineSpec& MachineSpec::operator=(MachineSpec&&) noexcept = default;
MachineSpec::~MachineSpec() = default;
bool operator==(const MachineSpec&, const MachineSpec&) = default;

namespace {

double copy_price(const Machine& machine) {
  const CopyPrice& copy = machine.spec.copy;
  if (!copy.as_gamma) {
    return copy.s_per_byte * copy.times;
  }
  Machine unchanged = machine;
  unchanged.spec.changes = {};
  return describe(unchanged).prices.gamma_s_per_byte * copy.times;
}

// Throws UserError if the file of late ranks has too few times. The file may have times for more
// ranks.
void check_late_ranks(const MachineSpec& spec, std::uint32_t ranks) {
  const auto& late_s = spec.disturbance.late_s;
  if (late_s != nullptr && late_s->size() < ranks) {
    throw UserError(fmt::format(
        "$late_ranks '{}': the file has {} for {}; write one time for each rank, one per line",
        spec.late_ranks, counted(late_s->size(), "time"), counted(ranks, "rank")));
  }
}

}  // namespace

std::string_view name(SymmetryUse use) { return kSymmetryUses[static_cast<std::size_t>(use)]; }

std::optional<SymmetryUse> symmetry_use_named(std::string_view word) {
  return named<SymmetryUse>(kSymmetryUses, word);
}

void open_platform(const MachineSpec& spec, MachineFiles& files) {
  if (spec.built_in()) {
    return;
  }
  const Stopwatch watch;
  files.cluster = read_cluster_file(spec.source.file, spec.network_model);
  if (files.cluster == nullptr) {
    // SimGrid reads these files in another process. This call registers them as inputs of the
    // present process.
    (void)platform_files(spec.source.file);
    std::string feature = check_platform_file(spec.source.file, spec.network_model).unmodelled;
    files.known_routes = std::make_shared<KnownRoutes>();
    if (!feature.empty()) {
      files.unmodelled = std::move(feature);
    }
  }
  files.read_s = watch.seconds();
}

Machine OpenedMachine::machine(std::uint32_t ranks, std::uint32_t ranks_per_host,
                               std::uint32_t element_bytes) const {
  Machine machine;
  machine.spec = spec;
  machine.element_bytes = element_bytes;
  machine.files = files;
  use_placement(machine, spec.placement,
                spec.placement_given.empty() ? fmt::format("$placement '{}'", name(spec.placement))
                                             : spec.placement_given);
  place_ranks(machine, ranks, ranks_per_host);
  if (spec.placement_seed) {
    use_random_hosts(machine, *spec.placement_seed);
  }
  if (spec.hosts) {
    use_hosts(machine, *spec.hosts);
  }
  use_files(machine, files);
  if (spec.ports) {
    machine.setup.ports = *spec.ports;
  }
  if (spec.eager_bytes) {
    machine.setup.eager_bytes = static_cast<std::int64_t>(*spec.eager_bytes);
  }
  machine.copy_s_per_byte = copy_price(machine);
  check_late_ranks(spec, ranks);
  machine.setup.disturbance = spec.disturbance;
  choose_engine(machine);
  return machine;
}

bool MachineFiles::has_reducing_switches() const {
  return cluster != nullptr && cluster->in_network().has_value();
}

bool OpenedMachine::runs_switches() const {
  const EngineType* const type = find_engine(spec.engine);
  const bool by_simgrid = spec.both_engines() || (type != nullptr && type->by_simgrid) ||
                          (spec.engine == "auto" && spec.network_model == "lv08");
  return !by_simgrid && !files.curves && !files.messages && files.has_reducing_switches();
}

}}  // namespace tutti::simulation
