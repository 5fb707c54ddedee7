// Rates of the links and cards of machines with GPUs, and the least times that they allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/gpu_presets.hpp"
#include "src/experiments/doctor/measured_curve.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

inline constexpr double kGigabyte = 1e9;

// Rates of the machine in GB/s, each in one direction.
struct MachineRates {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  std::uint32_t cards = 0;      // of a node
  double card_gb_per_s = 0;     // of each card
  double wire_gb_per_s = 0;     // of all links of a GPU to the others of its node
  double pcie_gb_per_s = 0;     // of a GPU
  bool switch_reduces = false;  // the switch of a node adds numbers (NVLS)
  [[nodiscard]] double cards_gb_per_s() const { return cards * card_gb_per_s; }
};

// Returns the rates of the nodes of a job.
[[nodiscard]] MachineRates rates_of(const NcclJob& job);

// Returns the preset of this name; null if there is none.
[[nodiscard]] const GpuPreset* preset_named(std::string_view gpu);

// Returns the name of --gpu for the GPU that a driver names, such as "NVIDIA H100 80GB HBM3"; "" if
// the GPU is unknown, or is not the one with NVLink.
[[nodiscard]] std::string gpu_of_device(const std::string& device);

// Returns the least time in seconds of any schedule on the machine, also with switches that reduce
// and multicast; nothing for collectives other than those of nccl-tests.
[[nodiscard]] std::optional<double> hardware_limit_s(const MachineRates& machine,
                                                     const MeasuredCurve& curve,
                                                     std::uint64_t bytes);

}}  // namespace tutti::experiments
