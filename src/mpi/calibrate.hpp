// tutti-mpi calibrate: measures the cost of messages, reductions and copies on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/world.hpp"
#include "src/mpi/run.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti::mpi {

struct CalibrateOptions {
  ValueWithText<std::vector<std::uint64_t>> sizes;
  std::string type = "int64";
  std::string op = "sum";
  std::optional<std::uint32_t> passes;
  double budget_s = 30;
  double timeout_s = kTimeoutS;
  std::optional<std::string> json;  // paths of files
  std::optional<std::string> platform;

  CalibrateOptions();
  void add_to(Command& command);
};

// All ranks must call this function. Returns the exit code, which is the same on all ranks. A
// UserError is thrown on all ranks, for the same reason; MpiError and Timeout may be thrown on some
// ranks only.
[[nodiscard]] int calibrate(const CalibrateOptions& options, const World& world);

}  // namespace tutti::mpi
