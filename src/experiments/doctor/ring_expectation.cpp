// Expectation for GPUs without a cost model: rings over all links.
#include <fmt/format.h>

#include <algorithm>

#include "base/human.hpp"
#include "cost_models/nccl/machine.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/doctor/expectation.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Number of links of a GPU to the others of its node.
double links_of(const GpuPreset& preset, std::uint32_t on_node) {
  return preset.inner == "mesh" ? std::max(on_node, 2U) - 1 : 1;
}

MachineRates rates_of_preset(const GpuPreset& preset, const NcclOptions& options,
                             std::uint32_t ranks, std::uint32_t on_node) {
  MachineRates rates;
  rates.nodes = (ranks + on_node - 1) / on_node;
  rates.gpus_per_node = on_node;
  rates.wire_gb_per_s = links_of(preset, on_node) * preset.wire_bytes_per_s / kGigabyte;
  rates.cards = rates.nodes == 1 ? 0 : options.nics ? options.nics->value : preset.cards;
  rates.card_gb_per_s =
      options.nic_gb_per_s ? options.nic_gb_per_s->value : preset.card_bytes_per_s / kGigabyte;
  rates.pcie_gb_per_s = preset.pcie_bytes_per_s / kGigabyte;
  return rates;
}

}  // namespace

bool has_only_rings(const MeasuredCurve& curve, std::string_view gpu) {
  const NcclGpu* const modelled = nccl_gpu_named(gpu);
  if (preset_named(gpu) == nullptr || preset_named(gpu)->torus) {
    return false;
  }
  return modelled == nullptr || (!modelled->machine.amd_gpu.empty() &&
                                 (curve.ranks % modelled->machine.gpus_per_node != 0 ||
                                  !nccl_grouped_call(curve.collective).empty()));
}

void expect_rings(const MeasuredCurve& curve, std::string_view gpu, const NcclOptions& options,
                  Expectation& expected) {
  const GpuPreset& preset = *preset_named(gpu);
  const std::uint32_t on_node = curve.nodes ? (curve.ranks + *curve.nodes - 1) / *curve.nodes
                                            : std::min(preset.gpus, curve.ranks);
  const double links = links_of(preset, on_node);
  const MachineRates rates = rates_of_preset(preset, options, curve.ranks, on_node);
  const double inner = links * preset.inner_bytes_per_s / kGigabyte;
  const bool to_one = curve.collective == Collective::alltoallv;
  const double own = to_one ? inner / links : inner;
  const double cards = to_one ? rates.card_gb_per_s : rates.cards_gb_per_s();
  const double rate = rates.nodes > 1 ? std::min(own, cards) : own;
  if (curve.collective == Collective::alltoall && rates.nodes > 1) {
    expected.why_not = fmt::format(
        "the rate of alltoall between nodes of {} is not known; a node's cards allow at most "
        "{:.3g} GB/s (busbw)",
        preset.name,
        rates.cards_gb_per_s() / on_node * (curve.ranks - 1) / (curve.ranks - on_node));
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

}}  // namespace tutti::experiments
