// tutti-mpi run: a schedule on the ranks of this job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "sim/mpi/byte_check.hpp"
#include "sim/mpi/world.hpp"
#include "src/common_options.hpp"

namespace CLI {
class App;
}

namespace tutti::mpi {

struct RunOptions {
  std::string algorithm;
  ProblemOptions problem;
  std::string type = "int64";
  std::string op = "sum";
  OptionText iterations;
  OptionText warmup;
  OptionText timeout;
  std::string check = "full";
  bool against_library = false;
  OptionText timeline;
  OptionText json;
  OptionText tags;

  void add_to(CLI::App& command);
  // 60 s unless --timeout says otherwise.
  [[nodiscard]] double timeout_s() const;
};

// Collective. Returns the exit code, the same on all ranks. Throws UserError (on all ranks for the
// same reason), MpiError and Timeout (perhaps on some only).
[[nodiscard]] int run(RunOptions options, const World& world);

// What there is to say after a run, on rank 0.
struct RunReport {
  const Algorithm* algorithm = nullptr;
  const Schedule* schedule = nullptr;
  Element element;
  std::string library;    // its name and version
  std::string placement;  // World::description()
  std::uint32_t nodes = 1;
  bool oversubscribed = false;
  std::uint32_t iterations = 1;
  std::uint32_t warmup = 0;
  std::vector<double> ours_s;
  std::vector<double> library_s;
  std::string library_call;
  std::string check;
  std::uint64_t bytes_compared = 0;  // over all ranks
  std::string check_note;            // what was left out, and why
  std::vector<std::string> wrong;
  double clock_error_s = 0;
};

void print_report(const RunReport& report, std::ostream& out);
// schemas/tutti-run-1.schema.json
void write_report_json(const RunReport& report, std::ostream& out);

}  // namespace tutti::mpi
