#include "platforms/gpu_presets.hpp"

#include <array>
#include <cmath>

namespace tutti { inline namespace platforms {

namespace {

constexpr double kGb = 1e9;
constexpr double kTb = 1e12;

// The 12 pairs of an MI250X node: 4 cables inside a package, 1 or 2 between packages.
// Which pairs have two cables (0-6 and 2-4 here) is a guess that fits the number of links.
constexpr std::string_view kMi250xPairs =
    "0-1*4,2-3*4,4-5*4,6-7*4,0-2,0-6*2,1-3,1-5,2-4*2,3-7,4-6,5-7";

// Sources. Links, NVIDIA: NCCL 2.30.7, src/graph/topo.h (usable: 12 x 20, 18 x 20.6 and 18 x 40.1
// GB/s), and measured rings in stas00/ml-engineering, network/benchmarks: 235 (A100), 365 to 370
// (H100, H200) and 680 GB/s (B200). A GH200 has 6 NVLink4 to each other GPU:
// apps.fz-juelich.de/jsc/hps/jupiter. MI250X: docs.olcf.ornl.gov, and RCCL's topo_8p_90a.xml, which
// counts 36 of 50 GB/s for a link. MI300X: rocm.blogs.amd.com, mi300x-rccl-xgmi: 48 of 64 GB/s;
// the same share is assumed for MI355X. Gaudi 3: docs.habana.ai, 513 of 525 GB/s over 7 links; its
// ports to other nodes are its own, so PCIe has their rate here.
// GB200 and GB300 have 72 rails here, one for each GPU of a rack, which is an assumption. Racks of
// the vendor's reference have 4 rails, so some GPUs with different numbers share a leaf switch.
// Here, data between two such GPUs cross the switch within the sender's rack first.
// Cards: docs.nvidia.com, DGX SuperPOD reference architectures (units of 32 nodes, of 64 for B300,
// of 8 racks for GB200), OLCF, LUMI and CSCS user guides. Memory: data sheets. PCIe 4 and 5: 31 and
// 55 GB/s, the second one measured; PCIe 6: 121 GB/s, not measured. TPU v5p:
// docs.cloud.google.com/tpu/docs/v5p (100 GB/s a link), jax-ml/scaling-book (90 GB/s).
constexpr std::array kPresets{
    GpuPreset{"a100", "HGX A100", 8, "switch", 300 * kGb, 235 * kGb, 8, 25 * kGb, 31 * kGb,
              2 * kTb},
    GpuPreset{"h100", "HGX H100", 8, "switch", 450 * kGb, 370 * kGb, 8, 50 * kGb, 55 * kGb,
              3.35 * kTb},
    GpuPreset{"h200", "HGX H200", 8, "switch", 450 * kGb, 370 * kGb, 8, 50 * kGb, 55 * kGb,
              4.8 * kTb},
    GpuPreset{"b200", "HGX B200", 8, "switch", 900 * kGb, 680 * kGb, 8, 50 * kGb, 55 * kGb,
              8 * kTb},
    GpuPreset{"b300", "HGX B300", 8, "switch", 900 * kGb, 680 * kGb, 8, 100 * kGb, 121 * kGb,
              8 * kTb, true, 64},
    GpuPreset{"gb200", "GB200 NVL72 rack", 72, "switch", 900 * kGb, 680 * kGb, 72, 50 * kGb,
              55 * kGb, 8 * kTb, true, 8},
    GpuPreset{"gb300", "GB300 NVL72 rack", 72, "switch", 900 * kGb, 680 * kGb, 72, 100 * kGb,
              121 * kGb, 8 * kTb, true, 8},
    GpuPreset{"gh200", "node of 4 GH200", 4, "mesh", 150 * kGb, 124 * kGb, 4, 25 * kGb, 55 * kGb,
              4 * kTb, false},
    GpuPreset{"mi250x", "node of 4 MI250X, each of which counts as two GPUs", 8, kMi250xPairs,
              50 * kGb, 36 * kGb, 4, 25 * kGb, 31 * kGb, 1.6 * kTb, false},
    GpuPreset{"mi300x", "node of 8 MI300X", 8, "mesh", 64 * kGb, 48 * kGb, 8, 50 * kGb, 55 * kGb,
              5.3 * kTb},
    GpuPreset{"mi355x", "node of 8 MI355X", 8, "mesh", 76.5 * kGb, 57.4 * kGb, 8, 50 * kGb,
              55 * kGb, 8 * kTb},
    GpuPreset{"gaudi3", "HLS-3 node of 8 Gaudi 3", 8, "mesh", 75 * kGb, 73.3 * kGb, 8, 75 * kGb,
              75 * kGb, 3.7 * kTb, false},
    GpuPreset{"tpuv5p", "torus of TPU v5p", 1, "", 100 * kGb, 90 * kGb, 0, 0, 0, 2.765 * kTb, false,
              1, true},
};

}  // namespace

std::span<const GpuPreset> gpu_presets() { return kPresets; }

GpuPlatform usual_platform(const GpuPreset& preset, std::uint32_t nodes) {
  GpuPlatform made;
  made.nodes = made.unit = nodes;
  made.gpus = preset.gpus;
  made.cards = preset.cards;
  made.inner = preset.inner;
  made.inner_bytes_per_s = preset.inner_bytes_per_s;
  made.inner_s = 1e-6;
  made.memory_bytes_per_s = preset.memory_bytes_per_s / 2;  // a copy reads and writes each byte
  made.pcie_bytes_per_s = preset.pcie_bytes_per_s;
  made.card_bytes_per_s = preset.card_bytes_per_s;
  made.card_s = 0.5e-6;
  made.switch_s = 0.13e-6;
  made.fabric = preset.rails && preset.cards > 0 ? GpuFabric::rail : GpuFabric::tree;
  const double of_leaf = preset.card_bytes_per_s * (made.has_rails() ? 1 : preset.cards);
  made.trunk_bytes_per_s = made.unit * of_leaf;
  made.speed_flops_per_s = summing_speed(preset.memory_bytes_per_s);
  return made;
}

double summing_speed(double memory_bytes_per_s) {
  constexpr double kBytesOfSum = 12;  // a sum reads two elements of 4 bytes, and writes one
  const double flops_per_s = memory_bytes_per_s / kBytesOfSum;
  return flops_per_s < kGb ? flops_per_s : std::round(flops_per_s / kGb) * kGb;
}

}}  // namespace tutti::platforms
