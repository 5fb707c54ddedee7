#include "src/experiments/doctor/machine_rates.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text_words.hpp"
#include "cost_models/nccl/machine.hpp"

namespace tutti { inline namespace experiments {

namespace {

// No GPU starts and ends a kernel in less time.
constexpr double kShortestCall_s = 1e-6;

// Share of their wire rate that rings reach on all known NVLink generations: 0.76 to 0.82. A wire
// rate that is not known is taken as what NCCL counts over this, which is more than the true one.
constexpr double kRingShare = 0.75;

}  // namespace

const GpuPreset* preset_named(std::string_view gpu) {
  const auto presets = gpu_presets();
  const auto found = std::ranges::find(presets, gpu, &GpuPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

MachineRates rates_of(const NcclJob& job) {
  MachineRates rates;
  rates.nodes = job.cluster.nodes;
  rates.gpus_per_node = job.gpus_per_node;
  rates.cards = job.cluster.nodes > 1 ? std::max(job.nodes.cards, 1U) : 0;
  rates.card_gb_per_s = job.nodes.card_bytes_per_s / kGigabyte;
  const GpuPreset* const preset = preset_named(job.gpu);
  const NcclGpu* const gpu = nccl_gpu_named(job.gpu);
  // At most four cables join a pair of GPUs.
  const double others = std::max(job.gpus_per_node, 2U) - 1;
  const double links = job.nodes.inner == "switch" ? 1
                       : job.nodes.inner == "mesh" ? others
                                                   : 4 * others;
  const double used = job.nodes.inner_bytes_per_s / kGigabyte;
  const double usual = preset == nullptr     ? 0
                       : job.nodes_described ? preset->inner_bytes_per_s / kGigabyte
                                             : gpu->machine.nvlink_gb_per_s;
  rates.wire_gb_per_s =
      links * (usual > 0 ? used * std::max(preset->wire_bytes_per_s / kGigabyte / usual, 1.0)
                         : used / kRingShare);
  rates.pcie_gb_per_s = gpu == nullptr ? 0 : gpu->machine.pci_gb_per_s;
  rates.switch_reduces = job.cluster.nvls;
  return rates;
}

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
    limit_s = std::max(limit_s, of_gpu * n / port / kGigabyte);
  }
  if (k > 1 && cards > 0) {
    limit_s = std::max(limit_s, of_node * n / cards / kGigabyte);
  }
  return limit_s;
}

}}  // namespace tutti::experiments
