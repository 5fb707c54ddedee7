// One schedule on the ranks of this job: refused, or run, timed and checked.
#pragma once

#include <cstdint>
#include <string>

#include "sim/mpi/measure.hpp"
#include "sim/mpi/world.hpp"
#include "src/mpi/run_report.hpp"
#include "src/mpi/subjects.hpp"

namespace tutti::mpi {

struct CellOptions {
  MeasureOptions measure;  // its `library` is set where `against_library` says so
  std::string check = "full";
  bool against_library = false;
  std::uint64_t tags = 0;
  // Run some more times, recording each operation, and report the run whose time is the median of
  // them; schedules of more operations than this are not recorded.
  OpId most_recorded_ops = 0;
};

// Throws UserError for a word that is none of --check's.
void check_known(const std::string& check);

// Collective; what it found is on rank 0. Throws UserError, MpiError, Timeout.
[[nodiscard]] RunReport run_cell(const Subject& subject, const Element& element,
                                 const CellOptions& options, const World& world);

}  // namespace tutti::mpi
