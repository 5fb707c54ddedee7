#include "src/requests/nccl_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "cost_models/nccl/graph_file.hpp"
#include "cost_models/nccl/machine.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr std::uint32_t kMostOfNode = 1024;
constexpr const char* kGroup = "NCCL's machine";

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

bool same_graph(const NcclGraph& a, const NcclGraph& b) {
  return a.channels == b.channels && a.intra_gb_per_s == b.intra_gb_per_s &&
         a.inter_gb_per_s == b.inter_gb_per_s;
}

// Returns a note if a node has more cards than GPUs, and NCCL's model does not use the others; else
// "".
std::string note_on_cards(const NcclMachine& machine, const NcclCluster& cluster) {
  if (machine.nics_per_node <= machine.gpus_per_node || cluster.nodes == 1) {
    return "";
  }
  NcclMachine fewer = machine;
  fewer.nics_per_node = machine.gpus_per_node;
  const NcclGraphs& all = cluster.graphs;
  const NcclGraphs used = cluster_of(fewer, cluster.ranks).graphs;
  if (same_graph(all.ring, used.ring) && same_graph(all.tree, used.tree) &&
      same_graph(all.nvls, used.nvls)) {
    return fmt::format(
        "$nics '{}': NCCL's model uses {} of these cards, one for each GPU of a node",
        machine.nics_per_node, machine.gpus_per_node);
  }
  return "";
}

void refuse_beside_graph(const auto& option, const char* field, const std::string& graph) {
  if (option) {
    throw UserError(fmt::format("{} '{}': $graph '{}' already determines this; leave one out",
                                field, option->text, graph));
  }
}

}  // namespace

void NcclOptions::add_to(Command& app) {
  command_ = &app;
  const OptionGroup group(app, kGroup);
  group
      .add("--gpu", gpu, "NAME",
           fmt::format("GPU: {} [{}]; also sets the defaults of the other options to those of the "
                       "node in which this GPU is sold",
                       fmt::join(gpu_names(), ", "), gpu),
           parse_gpu)
      .words(gpu_names())
      .usual();
  group
      .add("--gpus-per-node", gpus_per_node, "COUNT",
           "Number of GPUs, each with one rank, on each node or in each NVLink domain [set by "
           "--gpu: 8 or 72]",
           AsPositiveCount<kMostOfNode>())
      .usual();
  group.add(
      "--nvlink", nvlink_gb_per_s, "RATE",
      "NVLink bandwidth of a GPU in each direction, in GB/s, counted as NCCL does [set by --gpu]",
      gb_per_s);
  group.add("--nics", nics, "COUNT", "Number of network cards on each node [one for each GPU]",
            AsPositiveCount<kMostOfNode>());
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

std::string NcclOptions::given() const {
  const CommandOption* const first = command_ == nullptr ? nullptr : command_->first_given(kGroup);
  return first == nullptr ? "" : first->field();
}

NcclOptions NcclOptions::with_ranks_per_host(const RanksOption& count) const {
  NcclOptions options = *this;
  if (count && !gpus_per_node && !graph) {
    options.gpus_per_node = {count->value.front(), count->text};
  }
  return options;
}

NcclJob NcclOptions::job(std::uint32_t ranks) const {
  if (ranks < 2) {
    throw UserError(fmt::format("$ranks '{}': NCCL's model needs at least 2 ranks", ranks));
  }
  NcclMachine machine = nccl_gpu_named(gpu)->machine;
  if (cpu) {
    machine.cpu = *cpu;
  }
  NcclJob job;
  if (graph) {
    refuse_beside_graph(gpus_per_node, "$gpus_per_node", *graph);
    refuse_beside_graph(nvlink_gb_per_s, "$nvlink", *graph);
    refuse_beside_graph(nics, "$nics", *graph);
    refuse_beside_graph(nic_gb_per_s, "$nic_bw", *graph);
    refuse_beside_graph(nic_latency_s, "$nic_latency", *graph);
    const NcclGraphFile file = read_nccl_graphs(read_file(*graph, kPlatformFile), *graph);
    const NcclGraphs& graphs = file.graphs;
    job.gpus_per_node = std::min(file.gpus_per_node, ranks);
    NcclCluster& cluster = job.cluster;
    cluster.graphs = graphs;
    cluster.ranks = ranks;
    cluster.nodes = (ranks + job.gpus_per_node - 1) / job.gpus_per_node;
    cluster.lowest_capability = cluster.highest_capability = machine.capability;
    cluster.cpu = machine.cpu;
    cluster.nvls = graphs.nvls.channels > 0;
    // If NCCL's network plugin cannot reduce data, both CollNet graphs have 0 channels.
    cluster.collnet = graphs.collnet_chain.channels > 0 || graphs.collnet_direct.channels > 0;
    cluster.collnet_chain = graphs.collnet_chain.channels > 0;
    cluster.collnet_heads = graphs.collnet_direct.channels;
    job.fabric.gpu_gb_per_s =
        static_cast<double>(graphs.ring.channels) * graphs.ring.intra_gb_per_s;
    job.fabric.node_gb_per_s =
        static_cast<double>(graphs.ring.channels) * graphs.ring.inter_gb_per_s;
  } else {
    if (gpus_per_node) {
      machine.gpus_per_node = gpus_per_node->value;
      machine.nics_per_node = machine.gpus_per_node;
    }
    machine.gpus_per_node = std::min(machine.gpus_per_node, ranks);
    if (nvlink_gb_per_s) {
      machine.nvlink_gb_per_s = nvlink_gb_per_s->value;
    }
    if (nics) {
      machine.nics_per_node = nics->value;
    }
    if (nic_gb_per_s) {
      machine.nic_gb_per_s = nic_gb_per_s->value;
    }
    if (nic_latency_s) {
      machine.nic_latency_us = nic_latency_s->value * 1e6;
    }
    job.gpus_per_node = machine.gpus_per_node;
    job.cluster = cluster_of(machine, ranks);
    job.note = note_on_cards(machine, job.cluster);
    job.fabric.gpu_gb_per_s = machine.nvlink_gb_per_s;
    job.fabric.node_gb_per_s = machine.nics_per_node * machine.nic_gb_per_s;
  }
  job.machine =
      fmt::format("{} of {} {}", counted(job.cluster.nodes, "node"), job.gpus_per_node, gpu);
  return job;
}

}}  // namespace tutti::requests
