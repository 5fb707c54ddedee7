// What `tutti-mpi run` is to run: one schedule after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"
#include "sim/mpi/world.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti::mpi {

// One algorithm or program at one size, or a schedule's file.
struct Subject {
  std::shared_ptr<const ScheduleFile> file;
  std::shared_ptr<const ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string refusal;  // by the algorithm's own limits, where there are other subjects to run

  // Made afresh for an algorithm or a program.
  [[nodiscard]] std::shared_ptr<const Schedule> schedule() const;
};

// `algorithms` is collective/algorithm, several of them with commas between, a collective's name
// for all of its algorithms, or one file; -n may be a list. By size, then as named. Throws
// UserError for bad input, and where nothing is left but refusals.
[[nodiscard]] std::vector<Subject> subjects_of(const std::string& algorithms, ProblemOptions wanted,
                                               const Element& element, const World& world);

}  // namespace tutti::mpi
