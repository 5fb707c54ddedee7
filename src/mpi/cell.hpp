// Runs one schedule on the ranks of this job: checks whether it is refused, times it and checks its
// result.
#pragma once

#include <cstdint>
#include <string>

#include "sim/mpi/measure.hpp"
#include "sim/mpi/world.hpp"
#include "src/mpi/run_report.hpp"
#include "src/mpi/subjects.hpp"

namespace tutti::mpi {

struct CellOptions {
  MeasureOptions measure;  // run_cell() sets its `library` if `against_library`
  std::string check = "full";
  bool against_library = false;
  std::uint64_t tags = 0;
  // If the schedule has at most this many operations, runs it a few more times, records each
  // operation, and reports the recorded run with the median time.
  OpId most_recorded_ops = 0;
};

// Throws UserError if `check` is not a valid value of --check.
void check_known(const std::string& check);

// Collective; the report is complete on rank 0 only. Throws UserError, MpiError, Timeout.
[[nodiscard]] RunReport run_cell(const Subject& subject, const Element& element,
                                 const CellOptions& options, const World& world);

}  // namespace tutti::mpi
