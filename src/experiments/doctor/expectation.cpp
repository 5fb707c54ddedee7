#include "src/experiments/doctor/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/text_words.hpp"
#include "cost_models/nccl/release.hpp"
#include "platforms/gpu_presets.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kGb = 1e9;

// No GPU starts and ends a kernel in less time.
constexpr double kShortestCall_s = 1e-6;

// Share of their wire rate that rings reach on all known NVLink generations: 0.76 to 0.82. A wire
// rate that is not known is taken as what NCCL counts over this, which is more than the true one.
constexpr double kRingShare = 0.75;

const GpuPreset* preset_named(std::string_view gpu) {
  const auto presets = gpu_presets();
  const auto found = std::ranges::find(presets, gpu, &GpuPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

// Returns the rates of the nodes of a job.
MachineRates rates_of(const NcclJob& job) {
  MachineRates rates;
  rates.nodes = job.cluster.nodes;
  rates.gpus_per_node = job.gpus_per_node;
  rates.cards = job.cluster.nodes > 1 ? std::max(job.nodes.cards, 1U) : 0;
  rates.card_gb_per_s = job.nodes.card_bytes_per_s / kGb;
  const GpuPreset* const preset = preset_named(job.gpu);
  const NcclGpu* const gpu = nccl_gpu_named(job.gpu);
  // At most four cables join a pair of GPUs.
  const double others = std::max(job.gpus_per_node, 2U) - 1;
  const double links = job.nodes.inner == "switch" ? 1
                       : job.nodes.inner == "mesh" ? others
                                                   : 4 * others;
  const double used = job.nodes.inner_bytes_per_s / kGb;
  const double usual = preset == nullptr     ? 0
                       : job.nodes_described ? preset->inner_bytes_per_s / kGb
                                             : gpu->machine.nvlink_gb_per_s;
  rates.wire_gb_per_s =
      links * (usual > 0 ? used * std::max(preset->wire_bytes_per_s / kGb / usual, 1.0)
                         : used / kRingShare);
  rates.pcie_gb_per_s = gpu == nullptr ? 0 : gpu->machine.pci_gb_per_s;
  rates.switch_reduces = job.cluster.nvls;
  return rates;
}

// Returns how many GPUs of a node the options say; nothing if they leave it to --gpu.
void set_nodes(const MeasuredCurve& curve, NcclOptions& options, Expectation& expected) {
  const NcclGpu* const gpu = nccl_gpu_named(options.gpu.value_or(""));
  if (options.hosts_are_gpus() || options.gpus_per_node || options.graph) {
    return;
  }
  if (!curve.nodes) {
    if (gpu != nullptr && curve.ranks > gpu->machine.gpus_per_node) {
      expected.assumed.push_back(
          fmt::format("{} on each node", counted(gpu->machine.gpus_per_node, "GPU")));
    }
    return;
  }
  const std::uint32_t on_node = (curve.ranks + *curve.nodes - 1) / *curve.nodes;
  // The trays of a rack with one NVLink domain have hosts of their own.
  constexpr std::uint32_t kOfHost = 16;
  if (gpu != nullptr && gpu->machine.gpus_per_node > kOfHost) {
    expected.assumed.emplace_back("one NVLink domain for each rack");
  } else if (gpu == nullptr || std::min(gpu->machine.gpus_per_node, curve.ranks) != on_node) {
    options.gpus_per_node = {on_node, fmt::format("{}", on_node)};
  }
}

// Sets the release that the log names.
void set_release(const MeasuredCurve& curve, const ExpectationOptions& given, NcclOptions& options,
                 Expectation& expected) {
  if (given.release_given) {
    return;
  }
  const std::string& release = curve.log.release;
  const NcclGpu* const gpu = nccl_gpu_named(options.gpu.value_or(""));
  if (release.empty() || (gpu != nullptr && !gpu->machine.amd_gpu.empty())) {
    expected.assumed.emplace_back("the release");
    return;
  }
  try {
    options.release = &nccl_release_named("NCCL", release);
  } catch (const UserError&) {
    expected.assumed.push_back(
        fmt::format("the release, because the model of NCCL {} is not known", release));
  }
}

// True if the environment of the run lets NCCL choose the way.
bool is_allowed(const LogFacts& log, const NcclWay& way) {
  const auto names = [](const std::string& list, std::string_view word) {
    return list.empty() || list == word || list.find(std::string(word) + ',') == 0 ||
           list.find(',' + std::string(word)) != std::string::npos;
  };
  std::string algorithm(name(way.algorithm));
  std::erase(algorithm, '_');
  const bool of_nvls =
      way.algorithm == NcclAlgorithm::nvls || way.algorithm == NcclAlgorithm::nvls_tree;
  return names(log.variable("NCCL_ALGO"), algorithm) &&
         names(log.variable("NCCL_PROTO"), name(way.protocol)) &&
         !(of_nvls && log.variable("NCCL_NVLS_ENABLE") == "0");
}

// Returns the way that NCCL runs under the environment; null if there is none.
NcclWay* chosen_way(const LogFacts& log, NcclAnswer& answer) {
  NcclWay* best = nullptr;
  for (NcclWay& way : answer.ways) {
    if (way.time_us && is_allowed(log, way) && (best == nullptr || *way.time_us < *best->time_us)) {
      best = &way;
    }
  }
  return best;
}

// Returns about how many messages the schedule of a way has.
double messages_of(const NcclAnswer& answer, const NcclWay& way) {
  const double piece = std::max<double>(static_cast<double>(way.schedule.choice.segment_bytes), 1);
  const double p = answer.job.cluster.ranks;
  return 2 * p * std::max(static_cast<double>(answer.bytes) / piece, p);
}

// Number of messages that are simulated for one curve, which takes about a second.
constexpr double kMostMessages = 100'000;

struct WayOfRow {
  std::size_t row = 0;
  NcclAnswer answer;
  NcclWay* way = nullptr;
  double messages = 0;
};

// Simulates the ways with the fewest messages, as long as all together have few enough.
void simulate_ways(std::vector<WayOfRow>& ways, const OpenedMachine* platform) {
  std::vector<WayOfRow*> order;
  for (WayOfRow& each : ways) {
    if (!each.way->schedule.choice.algorithm.empty()) {
      order.push_back(&each);
    }
  }
  std::ranges::stable_sort(order, {}, &WayOfRow::messages);
  double all = 0;
  for (WayOfRow* const each : order) {
    all += each->messages;
    if (all > kMostMessages) {
      break;
    }
    simulate_nccl_way(each->answer, platform, *each->way);
  }
}

ExpectedRow expected_of(const WayOfRow& of) {
  ExpectedRow row;
  row.model_s = double{*of.way->time_us} / 1e6;
  row.simulated_s = of.way->simulated_s;
  row.low_s = std::min(*row.model_s, row.simulated_s.value_or(*row.model_s));
  row.high_s = std::max(*row.model_s, row.simulated_s.value_or(*row.model_s));
  row.startup_s = double{of.way->cost.latency_us} / 1e6;
  row.choice = fmt::format("{} with {}", name(of.way->algorithm), name(of.way->protocol));
  return row;
}

// Fills in the rows of a call that NCCL's model covers.
void expect_modelled(const MeasuredCurve& curve, const NcclJob& job, const OpenedMachine* platform,
                     Expectation& expected) {
  std::vector<WayOfRow> ways(curve.rows.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i].row = i;
    ways[i].answer = nccl_answer(job, curve.collective, curve.rows[i].bytes);
    ways[i].way = chosen_way(curve.log, ways[i].answer);
    if (ways[i].way == nullptr) {
      expected.why_not =
          fmt::format("NCCL's model has no time under NCCL_ALGO '{}' and NCCL_PROTO '{}'",
                      curve.log.variable("NCCL_ALGO"), curve.log.variable("NCCL_PROTO"));
      return;
    }
    ways[i].messages = messages_of(ways[i].answer, *ways[i].way);
  }
  simulate_ways(ways, platform);
  for (const WayOfRow& each : ways) {
    expected.rows[each.row] = expected_of(each);
  }
  const WayOfRow& last = ways.back();
  if (last.way->algorithm != NcclAlgorithm::nvls) {
    return;
  }
  for (const NcclWay& way : last.answer.ways) {
    if (way.time_us && way.algorithm != NcclAlgorithm::nvls &&
        way.algorithm != NcclAlgorithm::nvls_tree) {
      const double time_s = double{*way.time_us} / 1e6;
      expected.without_nvls_s = std::min(expected.without_nvls_s.value_or(time_s), time_s);
    }
  }
}

// Fills in the rows of a call that NCCL runs as grouped sends and receives.
void expect_grouped(const MeasuredCurve& curve, const NcclJob& job, const OpenedMachine* platform,
                    Expectation& expected) {
  // A call has a message for each pair of ranks.
  const double messages = static_cast<double>(curve.ranks) * curve.ranks;
  const auto most = static_cast<std::size_t>(std::max(kMostMessages / messages, 1.0));
  std::optional<double> startup_s;
  std::optional<double> per_byte_s;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const auto bytes = static_cast<double>(curve.rows[i].bytes);
    ExpectedRow row;
    // Beyond the first sizes that are simulated, only the largest one is.
    if (i + 2 < most || i + 1 == curve.rows.size() || !per_byte_s) {
      NcclAnswer answer = nccl_grouped_answer(job, curve.collective, curve.rows[i].bytes);
      simulate_grouped(answer, platform);
      if (!answer.grouped->simulated_s) {
        expected.why_not = answer.grouped->refusal;
        return;
      }
      row.simulated_s = answer.grouped->simulated_s;
      startup_s = startup_s.value_or(*row.simulated_s);
      per_byte_s = std::max(*row.simulated_s - *startup_s, 0.0) / bytes;
    }
    row.low_s = row.high_s = row.simulated_s.value_or(*startup_s + *per_byte_s * bytes);
    row.startup_s = *startup_s;
    row.choice = "grouped sends and receives";
    expected.rows[i] = row;
  }
}

// Adds the limits of the hardware.
void add_limits(const MeasuredCurve& curve, Expectation& expected) {
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    if (expected.rows[i]) {
      expected.rows[i]->limit_s = hardware_limit_s(*expected.rates, curve, curve.rows[i].bytes);
    }
  }
}

// Expects that rings reach the usable rate of the links of a node, on GPUs for which there is no
// cost model.
void expect_rings(const MeasuredCurve& curve, const GpuPreset& preset, Expectation& expected) {
  const std::uint32_t on_node = curve.nodes ? (curve.ranks + *curve.nodes - 1) / *curve.nodes
                                            : std::min(preset.gpus, curve.ranks);
  MachineRates rates;
  rates.nodes = (curve.ranks + on_node - 1) / on_node;
  rates.gpus_per_node = on_node;
  const double links = preset.inner == "mesh" ? std::max(on_node, 2U) - 1 : 1;
  rates.wire_gb_per_s = links * preset.wire_bytes_per_s / kGb;
  rates.cards = rates.nodes > 1 ? preset.cards : 0;
  rates.card_gb_per_s = preset.card_bytes_per_s / kGb;
  rates.pcie_gb_per_s = preset.pcie_bytes_per_s / kGb;
  const double inner = links * preset.inner_bytes_per_s / kGb;
  const double rate = rates.nodes > 1 ? std::min(inner, rates.cards_gb_per_s()) : inner;
  const bool blocks = curve.collective == Collective::alltoall;
  if (blocks && rates.nodes > 1) {
    expected.why_not = "the rate of alltoall between nodes of these GPUs is not known";
    return;
  }
  expected.rates = rates;
  expected.by = "rings";
  expected.machine = fmt::format("{} of {} {}", counted(rates.nodes, "node"), on_node, preset.name);
  // Measured rings reach 0.87 to 0.98 of the rate, and start in 20 to 60 us within a node.
  constexpr double kReached = 0.9;
  constexpr double kStart_s = 20e-6;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const NcclBandwidths one = curve.bandwidths(curve.rows[i].bytes, 1);
    ExpectedRow row;
    row.startup_s = kStart_s * (1 + rates.nodes);
    row.low_s = one.busbw_gb_per_s / rate;
    row.high_s = one.busbw_gb_per_s / rate / kReached + row.startup_s;
    row.choice = "rings over all links";
    expected.rows[i] = row;
  }
}

Expectation judged_by_nccl(const MeasuredCurve& curve, const ExpectationOptions& options,
                           Expectation expected) {
  NcclOptions nccl = options.nccl.on_platform(options.platform_file);
  const std::string device = gpu_of_device(curve.device);
  if (!nccl.gpu && !nccl.hosts_are_gpus()) {
    if (device.empty()) {
      expected.why_not =
          curve.device.empty()
              ? "the output does not name the GPU; give $gpu, such as $gpu=h100"
              : fmt::format(
                    "no expected times are known for '{}'; give $gpu, $nvlink, $nics and "
                    "$nic_bw of a node, or $graph",
                    curve.device);
      return expected;
    }
    if (nccl_gpu_named(device) == nullptr) {
      expect_rings(curve, *preset_named(device), expected);
      return expected;
    }
    nccl.gpu = device;
  }
  set_nodes(curve, nccl, expected);
  set_release(curve, options, nccl, expected);
  const NcclJob job = nccl.job(curve.ranks);
  if (!nccl.nics && !nccl.hosts_are_gpus() && !nccl.graph && job.cluster.nodes > 1) {
    expected.assumed.push_back(fmt::format("{} of {:g} Gb/s on each node",
                                           counted(job.nodes.cards, "card"),
                                           8 * job.nodes.card_bytes_per_s / kGb));
  }
  expected.machine = job.machine;
  expected.by = job.cluster.release->title();
  expected.rates = rates_of(job);
  if (nccl_grouped_call(curve.collective).empty()) {
    expect_modelled(curve, job, options.platform, expected);
  } else {
    expect_grouped(curve, job, options.platform, expected);
  }
  return expected;
}

}  // namespace

std::string gpu_of_device(const std::string& device) {
  std::string found;
  std::string word;
  for (const char each : lower_case(device) + ' ') {
    if (std::isalnum(static_cast<unsigned char>(each)) != 0) {
      word += each;
      continue;
    }
    const std::string part = std::exchange(word, "");
    // These are sold as single cards, without NVLink switches.
    if (part == "pcie" || part == "nvl") {
      return "";
    }
    if (found.empty() && (nccl_gpu_named(part) != nullptr || preset_named(part) != nullptr)) {
      found = part;
    }
  }
  return found;
}

std::optional<double> hardware_limit_s(const MachineRates& machine, const MeasuredCurve& curve,
                                       std::uint64_t bytes) {
  if (curve.ranks < 2) {
    return std::nullopt;
  }
  const double p = curve.ranks;
  const double k = machine.nodes;
  const double g = machine.gpus_per_node;
  // Shares of the largest buffer that pass the links of a GPU, and the cards of a node, in one
  // direction.
  double of_gpu = 1;
  double of_node = 1;
  switch (curve.collective) {
    case Collective::allreduce:
      of_gpu = machine.switch_reduces || k > 1 ? 1 : 2 * (p - 1) / p;
      break;
    case Collective::bcast:
    case Collective::reduce:
      break;
    case Collective::allgather:
    case Collective::reduce_scatter:
      of_gpu = (p - 1) / p;
      of_node = (p - g) / p;
      break;
    case Collective::alltoall:
      of_gpu = (p - 1) / p;
      of_node = g * (p - g) / p;
      break;
    case Collective::gather:
    case Collective::scatter:
      of_gpu = (p - 1) / p;
      of_node = (p - g) / p;
      break;
    case Collective::alltoallv:  // each rank sends to the next one
      break;
    default:
      return std::nullopt;
  }
  const auto n = static_cast<double>(bytes);
  const double cards = machine.cards_gb_per_s();
  // A GPU may use its node's cards beside its own links.
  const double port = machine.wire_gb_per_s + (k > 1 ? cards : 0);
  double limit_s = kShortestCall_s;
  if (port > 0) {
    limit_s = std::max(limit_s, of_gpu * n / port / kGb);
  }
  if (k > 1 && cards > 0) {
    limit_s = std::max(limit_s, of_node * n / cards / kGb);
  }
  return limit_s;
}

Expectation nccl_expectation(const MeasuredCurve& curve, const ExpectationOptions& options) {
  Expectation expected;
  expected.rows.resize(curve.rows.size());
  if (curve.ranks < 2) {
    return expected;
  }
  try {
    expected = judged_by_nccl(curve, options, std::move(expected));
  } catch (const UserError& error) {
    if (!options.nccl.given().empty()) {
      throw;
    }
    expected.why_not = error.what();
  }
  if (!expected.why_not.empty()) {
    expected.rows.assign(curve.rows.size(), std::nullopt);
  } else if (expected.rates) {
    add_limits(curve, expected);
  }
  return expected;
}

}}  // namespace tutti::experiments
