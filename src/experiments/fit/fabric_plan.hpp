// Chooses runs of nccl-tests that determine how NCCL uses a network: a D-optimal design, as in
// plan.hpp. A run forces NCCL to use one algorithm with one protocol (NCCL_ALGO, NCCL_PROTO) on a
// number of nodes, and measures all sizes. The last third of the time is for runs in which NCCL
// chooses, to check the fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/fit/fabric_fit.hpp"

namespace tutti { inline namespace experiments {

struct FabricRun {
  std::uint32_t nodes = 0;  // or NVLink domains of several hosts
  std::uint32_t hosts = 0;
  std::uint32_t ranks = 0;
  // Values of NCCL_ALGO and NCCL_PROTO; "" for a run that checks the fit.
  std::string algorithm;
  std::string protocol;
  double run_s = 0;  // start-up, and all calls
  // Figures whose bounds the run narrows most, given the runs before it: at most two.
  std::vector<const NcclFabricParameter*> determines;

  [[nodiscard]] bool is_check() const { return algorithm.empty(); }
};

struct FabricPlan {
  std::vector<FabricRun> runs;  // those to fit, then those to check
  double run_s = 0;             // of all runs
  // The figures that the runs depend on, with the 95 % bounds that a fit is expected to have.
  std::vector<FabricFigure> figures;
};

// Assumed time to start and end a run of nccl-tests.
inline constexpr double kNcclStartUpS = 15;
// Sizes of a run, in bytes: from the first to the second one, each times the third.
inline constexpr std::uint64_t kFirstPlannedSize = 8;
inline constexpr std::uint64_t kLastPlannedSize = std::uint64_t{512} << 20U;
inline constexpr std::uint64_t kPlannedFactor = 4;

// Chooses runs of allreduce that take at most `most_s` together, on up to `ranks` ranks of the
// machine. Throws UserError if the time does not suffice, or if the machine has a single node.
[[nodiscard]] FabricPlan plan_fabric(const NcclOptions& options, const NcclFabric& start,
                                     std::uint32_t ranks, double most_s);

}}  // namespace tutti::experiments
