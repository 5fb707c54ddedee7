// Options that describe the machine on which NCCL runs. The user gives the name of a GPU and
// figures from data sheets, or the graphs that NCCL itself found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cost_models/nccl/cluster.hpp"
#include "cost_models/nccl/machine.hpp"
#include "platforms/gpu_platform.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/fabric_file.hpp"

namespace tutti { inline namespace requests {

// Heading of the options in help.
inline constexpr const char* kNcclGroup = "NCCL's machine";

struct NcclJob {
  NcclCluster cluster;
  // The nodes on which schedules are simulated: those of the user's file if this describes GPUs,
  // otherwise nodes with the figures of NCCL's model, all below the same switches. The latter have
  // no latencies, because these depend on NCCL's protocol.
  GpuPlatform nodes;
  bool nodes_described = false;  // true if `nodes` are those of the user's file
  std::uint32_t gpus_per_node = 1;
  std::uint32_t ranks_per_host = 1;  // on the user's platform, whose hosts are nodes or GPUs
  // Description of the cluster: "8 nodes of 8 h100" or "8 nodes of 64 gb200 in racks of 72".
  std::string machine;
  std::string gpu;                                     // "h100"
  std::shared_ptr<const FabricFile> fabric = nullptr;  // measured use of the network; may be null
};

// Parses a release of NCCL or RCCL. Never returns null.
[[nodiscard]] const NcclRelease* parse_nccl_release(std::string_view from, const std::string& text);

struct NcclOptions {
  std::optional<std::string> gpu;
  std::optional<ValueWithText<std::uint32_t>> gpus_per_node;
  std::optional<ValueWithText<double>> nvlink_gb_per_s;
  std::optional<ValueWithText<std::uint32_t>> nics;
  std::optional<ValueWithText<std::uint32_t>> gpus_per_switch;
  std::optional<ValueWithText<double>> nic_gb_per_s;
  std::optional<ValueWithText<double>> nic_latency_s;
  std::optional<NcclCpu> cpu;
  std::optional<std::string> graph;                    // path of a file
  std::shared_ptr<const FabricFile> fabric = nullptr;  // no option: the caller reads it
  const NcclRelease* release = nullptr;  // null: the default, or that of RCCL for an AMD GPU

  // `usual_gpu` says which GPU is taken if the user names none.
  void add_to(Command& app, std::string_view usual_gpu = "h100");
  // Returns `release` or, without it, the default for the GPU.
  [[nodiscard]] const NcclRelease& used_release() const;
  // Returns the flag of the first option that was given; "" if none was given.
  [[nodiscard]] std::string given() const;
  // Returns the first given option of the command that is not of this machine and not in `allowed`;
  // "" if there is none.
  [[nodiscard]] std::string given_besides(std::span<const std::string_view> allowed) const;
  // Returns the given options as words of a shell: "--gpu h100 --nics 4".
  [[nodiscard]] std::string as_given() const;
  // Returns a copy in which the number of GPUs per node is that of ranks per host, unless another
  // option sets that number, or the hosts are GPUs.
  [[nodiscard]] NcclOptions with_ranks_per_host(const RanksOption& count) const;
  // Returns a copy that takes the nodes, cards and rates from the platform file, if this has a
  // description of GPUs. Throws UserError.
  [[nodiscard]] NcclOptions on_platform(const std::optional<std::string>& file) const;
  // True if the hosts of the platform are GPUs, and its file says which of them are a node.
  [[nodiscard]] bool hosts_are_gpus() const { return platform_.has_value(); }
  // Returns the cluster on which NCCL runs with `ranks` ranks, and the bandwidths of the cluster.
  // Throws UserError.
  [[nodiscard]] NcclJob job(std::uint32_t ranks) const;
  // Returns the same for a communicator that has `per_node` of the GPUs of each of its nodes, and
  // the network cards of these GPUs. Throws UserError.
  [[nodiscard]] NcclJob job_of_communicator(std::uint32_t ranks, std::uint32_t per_node) const;

 private:
  [[nodiscard]] std::string gpu_name() const;
  // Throws UserError if the user gives what `from`, a file, determines.
  void refuse_beside(const std::string& from) const;
  void use_graph(std::uint32_t ranks, NcclJob& job) const;
  void use_figures(std::uint32_t ranks, NcclJob& job) const;
  void use_platform(NcclMachine& machine) const;
  void check_platform(std::uint32_t ranks) const;
  // Throws UserError if the GPU and the release are of different vendors.
  void check_release() const;
  // Throws UserError if the user gives what RCCL does not count on nodes of AMD GPUs.
  void check_amd(const NcclMachine& machine) const;

  const Command* command_ = nullptr;
  std::optional<GpuPlatform> platform_;
  std::string platform_file_;
};

}}  // namespace tutti::requests
