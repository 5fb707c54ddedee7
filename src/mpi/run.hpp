// tutti-mpi run: runs schedules on the ranks of this job.
#pragma once

#include <string>

#include "sim/mpi/world.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti::mpi {

struct RunOptions {
  std::string algorithms;
  ProblemOptions problem;
  std::string type = "int64";
  std::string op = "sum";
  OptionText iterations;
  OptionText warmup;
  OptionText budget;
  OptionText passes;
  OptionText timeout;
  std::string check = "full";
  bool against_library = false;
  OptionText timeline;
  ResultOptions results;
  OptionText tags;

  void add_to(Command& command);
};

// Returns the value of --timeout in seconds; 60 by default. All commands of tutti-mpi have this
// option.
[[nodiscard]] double timeout_s(const OptionText& timeout);

// All ranks must call this function. Returns the exit code, which is the same on all ranks. A
// UserError is thrown on all ranks, for the same reason; MpiError and Timeout may be thrown on some
// ranks only.
[[nodiscard]] int run(const RunOptions& options, const World& world);

}  // namespace tutti::mpi
