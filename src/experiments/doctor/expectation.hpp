// The times that a healthy machine would measure: those of the library's own choice of algorithm,
// by NCCL's cost model and by simulation, and the least time that the hardware allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/doctor/measured_curve.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

struct ExpectedRow {
  double low_s = 0;                   // the shortest of the times below
  double high_s = 0;                  // the longest of the times below
  std::optional<double> model_s;      // by NCCL's cost model
  std::optional<double> simulated_s;  // simulated time of the equivalent schedule
  double startup_s = 0;               // part of high_s that does not depend on the size
  std::string choice;                 // "ring with simple", "allreduce/ring"
  std::optional<double> limit_s;      // no schedule is faster
};

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

struct Expectation {
  std::string machine;                // "2 nodes of 8 h100"
  std::string by;                     // "NCCL 2.29.7"
  std::vector<std::string> assumed;   // what was not known, a phrase each
  std::optional<MachineRates> rates;  // of nodes with GPUs
  std::string why_not;                // why nothing is expected; "" otherwise
  // As many as the curve has rows; all empty if nothing is expected.
  std::vector<std::optional<ExpectedRow>> rows;
  // If NVLS is the choice for the largest size: the time of the fastest other algorithm by NCCL's
  // model.
  std::optional<double> without_nvls_s;
};

// Returns the name of --gpu for the GPU that a driver names, such as "NVIDIA H100 80GB HBM3"; "" if
// the GPU is unknown, or is not the one with NVLink.
[[nodiscard]] std::string gpu_of_device(const std::string& device);

// Returns the least time in seconds of any schedule on the machine, also with switches that reduce
// and multicast; nothing for collectives other than those of nccl-tests.
[[nodiscard]] std::optional<double> hardware_limit_s(const MachineRates& machine,
                                                     const MeasuredCurve& curve,
                                                     std::uint64_t bytes);

struct ExpectationOptions {
  NcclOptions nccl;
  bool release_given = false;
  std::optional<std::string> library;        // name of an MPI library
  std::optional<std::string> platform_file;  // path of the platform
  const OpenedMachine* platform = nullptr;   // null if the user names none
};

// Returns what is expected of NCCL. Never throws UserError for what the file lacks: `why_not` says
// it.
[[nodiscard]] Expectation nccl_expectation(const MeasuredCurve& curve,
                                           const ExpectationOptions& options);
// Returns what is expected of an MPI library on the platform that the user names: the time of the
// algorithm that ran, of the library's own choice, or if these are not known, of the fastest
// algorithm.
[[nodiscard]] Expectation mpi_expectation(const MeasuredCurve& curve,
                                          const ExpectationOptions& options);

}}  // namespace tutti::experiments
