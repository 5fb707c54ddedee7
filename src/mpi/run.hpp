// tutti-mpi run: runs schedules on the ranks of this job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/mpi/world.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti::mpi {

// The default of --timeout.
inline constexpr double kTimeoutS = 60;

struct RunOptions {
  std::string algorithms;
  ProblemOptions problem;
  std::string type = "int64";
  std::string op = "sum";
  std::optional<std::uint32_t> iterations;
  std::optional<std::uint32_t> warmup;
  std::optional<double> budget_s;
  std::uint32_t passes = 1;
  double timeout_s = kTimeoutS;
  std::string check = "full";
  bool against_library = false;
  std::optional<std::string> timeline;  // path of a file
  ResultOptions results;
  std::uint32_t tags = 0;  // 0: as many as MPI allows

  void add_to(Command& command);
};

// Parses --timeout, an option of all commands of tutti-mpi. Returns seconds.
[[nodiscard]] double parse_timeout(std::string_view from, const std::string& text);

// All ranks must call this function. Returns the exit code, which is the same on all ranks. A
// UserError is thrown on all ranks, for the same reason; MpiError and Timeout may be thrown on some
// ranks only.
[[nodiscard]] int run(const RunOptions& options, const World& world);

}  // namespace tutti::mpi
