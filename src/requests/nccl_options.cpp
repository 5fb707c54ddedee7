#include "src/requests/nccl_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "cost_models/nccl/graph_file.hpp"
#include "cost_models/nccl/machine.hpp"
#include "cost_models/nccl/release.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/gpu_presets.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr std::uint32_t kMostOfNode = 1024;
constexpr const char* kUsualGpu = "h100";
// Values of GpuPlatform::inner.
constexpr const char* kSwitch = "switch";
constexpr const char* kMesh = "mesh";
constexpr InputKind kGraphFile{"a file of NCCL's graphs", kPlatformFile.most_bytes, false,
                               kPlatformFile.contents};

constexpr std::array kCpus{std::pair{"intel", NcclCpu::intel}, std::pair{"amd", NcclCpu::amd},
                           std::pair{"arm", NcclCpu::arm},     std::pair{"power", NcclCpu::power},
                           std::pair{"other", NcclCpu::other}, std::pair{"mixed", NcclCpu::mixed}};

constexpr const auto& cpus() { return kCpus; }

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const NcclGpu& gpu : nccl_gpus()) {
    names.emplace_back(gpu.name);
  }
  return names;
}

// Returns the names of the GPUs on which RCCL runs.
std::vector<std::string_view> amd_gpu_names() {
  std::vector<std::string_view> names;
  for (const NcclGpu& gpu : nccl_gpus()) {
    if (!gpu.machine.amd_gpu.empty()) {
      names.push_back(gpu.name);
    }
  }
  return names;
}

// Parses the name of a GPU.
std::string parse_gpu(std::string_view from, const std::string& text) {
  if (lower_case(text) == "rubin") {
    throw UserError(
        fmt::format("{} '{}': from 2.32.6 on NCCL chooses on Rubin by a pipeline model, which "
                    "tutti does not have; expected {}",
                    from, text, fmt::join(gpu_names(), ", ")));
  }
  check_word(from, text, gpu_names());
  return text;
}

// Parses a bandwidth: a number with a unit, or a number without a unit, which is in GB/s.
double gb_per_s(std::string_view what, const std::string& text) {
  if (text.empty() || text.find("..") != std::string::npos) {
    throw UserError(
        fmt::format("{} '{}': not a bandwidth; write a number in GB/s, such as 50, or "
                    "with a unit, such as 400Gbps",
                    what, printable(text)));
  }
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  const double rate = bare ? parse_number(what, text) : parse_rate(what, text) / 1e9;
  constexpr double kMost = 1e5;
  // No network card has more than 800 Gb/s, so a larger number is probably in Gb/s.
  constexpr double kMostOfCard = 100;
  if (bare && rate > kMostOfCard && rate <= kMost && what == "$nic_bw") {
    throw UserError(
        fmt::format("{0} '{1}': {1} GB/s are {2:g} Gb/s; write {1}Gbps (bits) or "
                    "{1}GBps (bytes)",
                    what, text, rate * 8));
  }
  if (!(rate > 0) || rate > kMost) {
    throw UserError(
        fmt::format("{} '{}': must be above 0 and at most 100000 GB/s; write a number in GB/s, "
                    "such as 50, or with a unit, such as 400Gbps",
                    what, text));
  }
  return rate;
}

// Returns how the GPUs of a node are joined, as GpuPlatform::inner.
std::string_view inner_of(const NcclMachine& machine) {
  const auto amd = std::ranges::find(gpu_presets(), machine.amd_gpu, &GpuPreset::name);
  return amd != gpu_presets().end() ? amd->inner : machine.pairs ? kMesh : kSwitch;
}

// Returns nodes with the machine's figures, for simulations. Memory, PCIe and reductions take no
// time, because NCCL's model does not have them.
GpuPlatform nodes_with(const NcclMachine& machine, std::uint32_t nodes) {
  constexpr double kGb = 1e9;
  constexpr double kFast = 1e15;
  GpuPlatform platform;
  platform.nodes = platform.unit = nodes;
  platform.gpus = machine.gpus_per_node;
  platform.inner = machine.gpus_per_node > 1 ? inner_of(machine) : kSwitch;
  platform.cards = nodes == 1 ? 0 : std::min(machine.nics_per_node, machine.gpus_per_node);
  platform.inner_bytes_per_s =
      (machine.nvlink_gb_per_s > 0 ? machine.nvlink_gb_per_s : machine.pci_gb_per_s) * kGb;
  platform.memory_bytes_per_s = kFast;
  platform.pcie_bytes_per_s = kFast;
  platform.card_bytes_per_s = machine.nic_gb_per_s * kGb;
  platform.speed_flops_per_s = kFast;
  return platform;
}

// Spreads the ranks over racks, each an NVLink domain of several trays. Jobs get whole trays.
// Schedulers place jobs in this way, such as Slurm with --segment: a job gets the same number of
// trays in each rack if this takes at most an eighth more racks than needed. Otherwise, the last of
// the fewest racks has fewer trays than the others.
void spread_over_racks(NcclMachine& machine, std::uint32_t ranks) {
  constexpr std::uint32_t kMostOfHost = 8;
  constexpr std::uint32_t kGpusOfTray = 4;  // NVIDIA GB200 NVL72: 18 trays of 4 GPUs
  const std::uint32_t gpus = machine.gpus_per_node;
  if (gpus <= kMostOfHost) {
    return;
  }
  const auto quotient_up = [](std::uint32_t a, std::uint32_t b) { return (a - 1) / b + 1; };
  const std::uint32_t trays = quotient_up(ranks, kGpusOfTray);
  const std::uint32_t least = quotient_up(ranks, gpus);
  std::uint32_t racks = least;
  while (trays % racks != 0 && racks < least + least / 8) {
    ++racks;
  }
  racks = trays % racks == 0 ? racks : least;
  const std::uint32_t each = quotient_up(trays, racks) * kGpusOfTray;
  if (machine.nics_per_node * each % gpus == 0) {
    machine.nics_per_node = machine.nics_per_node * each / gpus;
    machine.gpus_per_node = each;
  }
}

// Describes the nodes, where a node has room for `most` GPUs.
std::string nodes_in_words(const NcclJob& job, std::uint32_t most) {
  const std::uint32_t nodes = job.cluster.nodes;
  std::string text = fmt::format("{} of {} {}", counted(nodes, "node"), job.gpus_per_node, job.gpu);
  if (nodes > 1 && job.gpus_per_node < most) {
    text += fmt::format(" in racks of {}", most);
  }
  if (const std::uint32_t rest = job.cluster.ranks % job.gpus_per_node; nodes > 1 && rest > 0) {
    text += fmt::format(", {} of them in the last", rest);
  }
  return text;
}

// Returns the name of the GPU whose figures the platform has; "" if none or several have them.
std::string gpu_with_figures_of(const GpuPlatform& platform) {
  std::vector<const GpuPreset*> found;
  for (const GpuPreset& each : gpu_presets()) {
    if (nccl_gpu_named(each.name) != nullptr && each.inner == platform.inner &&
        each.memory_bytes_per_s == 2 * platform.memory_bytes_per_s &&
        each.pcie_bytes_per_s == platform.pcie_bytes_per_s) {
      found.push_back(&each);
    }
  }
  if (found.size() > 1) {
    std::erase_if(found, [&](const GpuPreset* each) { return each->gpus != platform.gpus; });
  }
  return found.size() == 1 ? std::string(found.front()->name) : "";
}

// Returns the NVLink bandwidth of a GPU as NCCL counts it. The file has what a ring reaches.
double nvlink_gb_per_s_of(const GpuPlatform& platform, const NcclGpu& gpu) {
  const auto preset = std::ranges::find(gpu_presets(), gpu.name, &GpuPreset::name);
  return preset == gpu_presets().end() ? platform.inner_bytes_per_s / 1e9
                                       : gpu.machine.nvlink_gb_per_s * (platform.inner_bytes_per_s /
                                                                        preset->inner_bytes_per_s);
}

}  // namespace

const NcclRelease* parse_nccl_release(std::string_view from, const std::string& text) {
  return &nccl_release_named(fmt::format("{} '{}'", from, text), text);
}

void NcclOptions::add_to(Command& app, std::string_view usual_gpu) {
  command_ = &app;
  const OptionGroup group(app, kNcclGroup);
  group
      .add("--gpu", gpu, "NAME",
           fmt::format("GPU: {} [{}]; also sets the defaults of the other options to those of the "
                       "node in which this GPU is sold",
                       fmt::join(gpu_names(), ", "), usual_gpu),
           parse_gpu)
      .words(gpu_names())
      .usual();
  group
      .add(
          "--gpus-per-node", gpus_per_node, "COUNT",
          "Number of GPUs, each with one rank, on each node or in each NVLink domain [set by "
          "--gpu: 8; 4 for gh200; 72 for gb200 and gb300, whose jobs have whole trays of 4 GPUs, "
          "as "
          "evenly as possible in the fewest domains, or in up to an eighth more if these then have "
          "equally many]",
          AsPositiveCount<kMostOfNode>())
      .usual();
  group.add(
      "--nvlink", nvlink_gb_per_s, "RATE",
      "NVLink bandwidth of a GPU, or of each pair of GPUs for gh200, in each direction, in GB/s, "
      "as NCCL counts it: its links times NCCL's bandwidth of a link, such as 370.8 for h100 [set "
      "by "
      "--gpu]",
      gb_per_s);
  group.add("--nics", nics, "COUNT",
            "Number of network cards on each node, at most one for each GPU [one for each GPU]",
            AsPositiveCount<kMostOfNode>());
  group.add("--gpus-per-switch", gpus_per_switch, "COUNT",
            "Number of GPUs that share a PCI switch with their network cards, 1 or 2; decides "
            "whether rings return to their card and LL128 can run [set by --gpu: 2 for a100 and "
            "a800, else 1]",
            AsPositiveCount<2>());
  group.add("--nic-bw", nic_gb_per_s, "RATE",
            "Bandwidth of each network card in each direction: a number in GB/s, or with a unit, "
            "such as 400Gbps [set by --gpu]",
            gb_per_s);
  group.add("--nic-latency", nic_latency_s, "TIME",
            "Latency of a network card, as NCCL's network plugin reports it [0]", AsTime());
  group.add("--cpu", cpu, "NAME",
            "CPU of the nodes: intel, amd, arm, power, other or mixed [set by --gpu]",
            AsWord<cpus>());
  group.add("--graph", graph, "FILE",
            "File with the graphs that NCCL found, as it writes them to NCCL_GRAPH_DUMP_FILE; "
            "replaces the options for GPUs per node, NVLink and network cards");
}

const NcclRelease& NcclOptions::used_release() const {
  return release != nullptr                                    ? *release
         : nccl_gpu_named(gpu_name())->machine.amd_gpu.empty() ? nccl_default_release()
                                                               : rccl_release();
}

std::string NcclOptions::given() const {
  const CommandOption* const first =
      command_ == nullptr ? nullptr : command_->first_given(kNcclGroup);
  return first == nullptr ? "" : first->field();
}

std::string NcclOptions::given_besides(std::span<const std::string_view> allowed) const {
  for (const CommandOption& option : command_->options()) {
    if (option.is_given() && !option.is_positional() && option.group() != kNcclGroup &&
        std::ranges::find(allowed, option.name()) == allowed.end()) {
      return option.field();
    }
  }
  return "";
}

std::string NcclOptions::as_given() const {
  std::vector<std::string> words;
  if (command_ != nullptr) {
    for (const CommandOption& option : command_->options()) {
      if (option.group() == kNcclGroup && option.is_given()) {
        words.push_back(option.name());
        for (const std::string& text : option.texts()) {
          words.push_back(shell_word(text));
        }
      }
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

NcclOptions NcclOptions::with_ranks_per_host(const RanksOption& count) const {
  NcclOptions options = *this;
  if (count && platform_ && count->value != std::vector{1U}) {
    throw UserError(
        fmt::format("$ranks_per_host '{}': the hosts of '{}' are GPUs, and NCCL runs one rank on "
                    "each; leave it out",
                    count->text, platform_file_));
  }
  if (count && !platform_ && !gpus_per_node && !graph) {
    options.gpus_per_node = {count->value.front(), count->text};
  }
  return options;
}

NcclOptions NcclOptions::on_platform(const std::optional<std::string>& file) const {
  NcclOptions options = *this;
  if (file) {
    options.platform_ = read_gpu_description(*file);
    options.platform_file_ = *file;
  }
  return options;
}

std::string NcclOptions::gpu_name() const {
  if (!platform_ || graph) {
    return gpu.value_or(kUsualGpu);
  }
  std::string found = gpu_with_figures_of(*platform_);
  if (gpu) {
    // Other GPUs of NCCL, such as h800, may have the memory of a known one.
    const auto preset = std::ranges::find(gpu_presets(), *gpu, &GpuPreset::name);
    if (!found.empty() && preset != gpu_presets().end() &&
        preset->memory_bytes_per_s != 2 * platform_->memory_bytes_per_s) {
      throw UserError(fmt::format("$gpu '{}': '{}' has the memory of {}; leave $gpu out", *gpu,
                                  platform_file_, found));
    }
    return *gpu;
  }
  if (found.empty()) {
    throw UserError(fmt::format(
        "$platform '{}': its figures do not show which GPU it has; give $gpu, such as $gpu=h100",
        platform_file_));
  }
  return found;
}

void NcclOptions::refuse_beside(const std::string& from) const {
  const auto refuse = [&](const auto& option, const char* field) {
    if (option) {
      throw UserError(fmt::format("{} '{}': {} already determines this; leave one out", field,
                                  option->text, from));
    }
  };
  refuse(gpus_per_node, "$gpus_per_node");
  refuse(nvlink_gb_per_s, "$nvlink");
  refuse(nics, "$nics");
  refuse(nic_gb_per_s, "$nic_bw");
  if (graph) {
    refuse(gpus_per_switch, "$gpus_per_switch");
  }
}

void NcclOptions::check_platform(std::uint32_t ranks) const {
  if (ranks > platform_->hosts()) {
    throw UserError(fmt::format("$ranks '{}': '{}' has {}; NCCL runs one rank on each", ranks,
                                platform_file_, counted(platform_->hosts(), "GPU")));
  }
  if (graph) {
    return;
  }
  refuse_beside(fmt::format("$platform '{}'", platform_file_));
  const std::string name = gpu_name();
  if (platform_->gpus > 1 && platform_->inner != inner_of(nccl_gpu_named(name)->machine)) {
    throw UserError(
        fmt::format("$platform '{}': the GPUs of a node are joined by '{}', of which NCCL's graphs "
                    "are not known for {}; give $graph FILE, as NCCL writes it on such a node",
                    platform_file_, platform_->inner, name));
  }
}

void NcclOptions::use_platform(NcclMachine& machine) const {
  machine.nvlink_gb_per_s = nvlink_gb_per_s_of(*platform_, *nccl_gpu_named(gpu_name()));
  machine.gpus_per_node = platform_->gpus;
  machine.nics_per_node = std::max(platform_->cards, 1U);  // a single node may have none
  if (platform_->cards > 0) {
    machine.nic_gb_per_s = platform_->working_share() * platform_->card_bytes_per_s / 1e9;
  }
}

void NcclOptions::check_amd(const NcclMachine& machine) const {
  if (machine.amd_gpu.empty()) {
    return;
  }
  const auto refuse = [&](const auto& option, const char* field) {
    if (option) {
      throw UserError(
          fmt::format("{} '{}': RCCL recognises nodes of {} as a whole, and does not "
                      "count this; leave it out",
                      field, option->text, machine.amd_gpu));
    }
  };
  if (gpus_per_node && gpus_per_node->value != machine.gpus_per_node) {
    throw UserError(fmt::format(
        "$gpus_per_node '{0}': RCCL's rings are known for nodes of {1} {2}; expected {1}",
        gpus_per_node->text, machine.gpus_per_node, machine.amd_gpu));
  }
  refuse(nvlink_gb_per_s, "$nvlink");
  refuse(nics, "$nics");
  refuse(gpus_per_switch, "$gpus_per_switch");
  refuse(nic_gb_per_s, "$nic_bw");
  refuse(nic_latency_s, "$nic_latency");
}

void NcclOptions::use_graph(std::uint32_t ranks, NcclJob& job) const {
  const std::string from = fmt::format("$graph '{}'", *graph);
  refuse_beside(from);
  if (nic_latency_s) {
    throw UserError(fmt::format("$nic_latency '{}': {} already determines this; leave one out",
                                nic_latency_s->text, from));
  }
  const NcclGraphFile file = read_nccl_graphs(read_file(*graph, kGraphFile), *graph);
  if (platform_ && file.gpus_per_node != platform_->gpus) {
    throw UserError(fmt::format("{}: has {} on a node, but $platform '{}' has {}", from,
                                counted(file.gpus_per_node, "GPU"), platform_file_,
                                platform_->gpus));
  }
  const NcclGraphs& graphs = file.graphs;
  const NcclMachine& machine = nccl_gpu_named(gpu_name())->machine;
  job.gpus_per_node = std::min(file.gpus_per_node, ranks);
  NcclCluster& cluster = job.cluster;
  if (!machine.amd_gpu.empty()) {
    throw UserError(
        fmt::format("{}: RCCL's graphs are known for {}; leave it out", from, machine.amd_gpu));
  }
  cluster.release = &used_release();
  cluster.graphs = graphs;
  cluster.ranks = ranks;
  cluster.nodes = (ranks + job.gpus_per_node - 1) / job.gpus_per_node;
  cluster.lowest_capability = cluster.highest_capability = machine.capability;
  cluster.cpu = cpu.value_or(machine.cpu);
  cluster.nvls = graphs.nvls.channels > 0;
  // If NCCL's network plugin cannot reduce data, both CollNet graphs have 0 channels.
  cluster.collnet = graphs.collnet_chain.channels > 0 || graphs.collnet_direct.channels > 0;
  cluster.collnet_chain = graphs.collnet_chain.channels > 0;
  cluster.collnet_heads = graphs.collnet_direct.channels;
  cluster.cards = cluster.nodes > 1 ? file.cards : 0;
  const auto rings = static_cast<std::uint32_t>(graphs.ring.channels);
  job.nodes = nodes_with({.gpus_per_node = job.gpus_per_node,
                          .nvlink_gb_per_s = rings * double{graphs.ring.intra_gb_per_s},
                          .nics_per_node = std::min(rings, job.gpus_per_node),
                          .nic_gb_per_s = rings * double{graphs.ring.inter_gb_per_s} /
                                          std::min(rings, job.gpus_per_node)},
                         cluster.nodes);
}

void NcclOptions::use_figures(std::uint32_t ranks, NcclJob& job) const {
  NcclMachine machine = nccl_gpu_named(gpu_name())->machine;
  machine.cpu = cpu.value_or(machine.cpu);
  check_amd(machine);
  if (platform_) {
    use_platform(machine);
  }
  if (gpus_per_node) {
    machine.gpus_per_node = gpus_per_node->value;
    machine.nics_per_node = machine.gpus_per_node;
  }
  if (nvlink_gb_per_s) {
    machine.nvlink_gb_per_s = nvlink_gb_per_s->value;
  }
  if (nics) {
    machine.nics_per_node = nics->value;
  }
  if (gpus_per_switch) {
    machine.gpus_per_switch = gpus_per_switch->value;
  }
  if (nic_gb_per_s) {
    machine.nic_gb_per_s = nic_gb_per_s->value;
  }
  if (nic_latency_s) {
    machine.nic_latency_us = nic_latency_s->value * 1e6;
  }
  if (!gpus_per_node && !platform_) {
    spread_over_racks(machine, ranks);
  }
  job.gpus_per_node = machine.gpus_per_node = std::min(machine.gpus_per_node, ranks);
  job.cluster = cluster_of(machine, ranks, used_release());
  job.nodes = nodes_with(machine, job.cluster.nodes);
}

void NcclOptions::check_release() const {
  const std::string name = gpu_name();
  const bool amd = !nccl_gpu_named(name)->machine.amd_gpu.empty();
  if (const NcclRelease& used = used_release(); amd != (&used == &rccl_release())) {
    throw UserError(
        fmt::format("{} does not run on {}; {}", used.title(), name,
                    amd ? "use " + rccl_release().title()
                        : fmt::format("give $gpu, one of {}", fmt::join(amd_gpu_names(), ", "))));
  }
}

NcclJob NcclOptions::job(std::uint32_t ranks) const {
  if (ranks < 2) {
    throw UserError(fmt::format("$ranks '{}': NCCL's model needs at least 2 ranks", ranks));
  }
  check_release();
  if (platform_) {
    check_platform(ranks);
  }
  NcclJob job;
  if (graph) {
    use_graph(ranks, job);
  } else {
    use_figures(ranks, job);
  }
  job.ranks_per_host = platform_ ? 1 : job.gpus_per_node;
  if (platform_) {
    job.nodes = *platform_;
    job.nodes_described = true;
  }
  job.gpu = gpu_name();
  job.fabric = fabric;
  const bool racks = !gpus_per_node && !platform_ && !graph;
  job.machine = nodes_in_words(
      job, racks ? nccl_gpu_named(job.gpu)->machine.gpus_per_node : job.gpus_per_node);
  return job;
}

NcclJob NcclOptions::job_of_communicator(std::uint32_t ranks, std::uint32_t per_node) const {
  const auto cards_of = [per_node](std::uint32_t cards, std::uint32_t gpus_of_node) {
    return std::max(cards * per_node / gpus_of_node, 1U);
  };
  NcclOptions own = *this;
  const std::string words = std::to_string(per_node);
  if (graph) {
    NcclJob whole = job(ranks);
    if (whole.gpus_per_node != per_node) {
      throw UserError(
          fmt::format("$graph '{}': has graphs of nodes with {}, but there are {} of "
                      "the communicator on each node",
                      *graph, counted(whole.gpus_per_node, "GPU"), per_node));
    }
    return whole;
  }
  if (platform_) {
    own.gpu = gpu_name();
    own.platform_->cards = platform_->cards == 0 ? 0 : cards_of(platform_->cards, platform_->gpus);
    own.platform_->gpus = per_node;
    own.platform_->nodes = own.platform_->unit = (ranks + per_node - 1) / per_node;
    return own.job(ranks);
  }
  const NcclMachine& machine = nccl_gpu_named(gpu_name())->machine;
  const std::uint32_t of_node = gpus_per_node ? gpus_per_node->value : machine.gpus_per_node;
  const std::uint32_t cards = nics            ? nics->value
                              : gpus_per_node ? gpus_per_node->value
                                              : machine.nics_per_node;
  own.gpus_per_node = {per_node, words};
  own.nics = {cards_of(cards, of_node), words};
  return own.job(ranks);
}

}}  // namespace tutti::requests
