// Runs one schedule on the ranks of this job, times it, and checks its result. Refuses a schedule
// that cannot run on MPI.
#pragma once

#include <cstdint>
#include <string>

#include "sim/mpi/measure.hpp"
#include "sim/mpi/world.hpp"
#include "src/mpi/run_report.hpp"
#include "src/mpi/subjects.hpp"

namespace tutti::mpi {

struct CellOptions {
  MeasureOptions measure;  // run_cell() sets measure.library if `against_library` is set
  std::string check = "full";
  bool against_library = false;
  std::uint64_t tags = 0;
  // If the schedule has at most this many operations, run_cell() runs it a few more times, records
  // each operation, and reports the recorded run with the median time.
  OpId most_recorded_ops = 0;
};

// Throws UserError if `check` is not a valid value of --check.
void check_known(const std::string& check);

// All ranks must call this function. The report is complete on rank 0 only. May throw UserError,
// MpiError or Timeout.
[[nodiscard]] RunReport run_cell(const Subject& subject, const Element& element,
                                 const CellOptions& options, const World& world);

}  // namespace tutti::mpi
