// The parts of `tutti fit` and `tutti score` for machines with GPUs, whose calls NCCL runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/command.hpp"
#include "src/commands/point_options.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/fit/fabric_fit.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace commands {

struct FabricRequest {
  std::vector<std::string> files;         // measured times
  std::optional<std::uint32_t> ranks;     // of files that do not say it
  NcclOptions nccl;                       // its release is null if it is that of the files
  std::optional<std::string> parameters;  // path of a file
  std::string platform;                   // path of a file; "" if there is none
  double prior = 0;
  std::optional<std::string> output;  // path of a file
  JsonPath json;
};

// Adds --library to options that describe NCCL's machine.
void add_nccl_library(const OptionGroup& group, std::optional<std::string>& library);

// Returns whether the options describe NCCL's machine: --gpu and others, or --library with the
// platform of a GPU cluster. Throws UserError for a library without a machine.
[[nodiscard]] bool is_for_nccl(const PointOptions& points, const NcclOptions& nccl,
                               const std::optional<std::string>& library);

// Returns the request for the files and the machine. Throws UserError if the user gave an option
// that has an effect only on message models: one that is neither of the machine nor in `allowed`.
[[nodiscard]] FabricRequest fabric_request(const PointOptions& points, const NcclOptions& nccl,
                                           const std::optional<std::string>& library,
                                           std::span<const std::string_view> allowed);

// Fits how NCCL uses the network to the measured times, and prints and writes the result. Returns
// the exit status.
int fit_fabric(const FabricRequest& request, Streams streams);

// Chooses runs of nccl-tests on up to `ranks` ranks that take at most `most_s` together, and prints
// or writes them. Returns the exit status.
int plan_fabric_runs(const FabricRequest& request, std::uint32_t ranks, double most_s,
                     Streams streams);

// Compares the measured times with those that NCCL's model and the file of --parameters predict.
// Returns the exit status.
int score_fabric(const FabricRequest& request, Streams streams);

}}  // namespace tutti::commands
