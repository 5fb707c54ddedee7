// The schedules that `tutti-mpi run` runs, one after the other.
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

// An algorithm or program at one size, or a schedule from a file.
struct Subject {
  std::shared_ptr<const ScheduleFile> file;
  std::shared_ptr<const ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  // Why the algorithm refuses the problem; "" if it does not. If all subjects are refused,
  // subjects_of() throws instead.
  std::string refusal;

  // Returns the schedule. The schedule of an algorithm or program is built anew at each call.
  [[nodiscard]] std::shared_ptr<const Schedule> schedule() const;
};

// `algorithms` is collective/algorithm, several of these separated by commas, the name of a
// collective (for all of its algorithms), or one file. -n may be a list. Returns the subjects
// ordered by size; those of one size are in the order in which `algorithms` names them. Throws
// UserError if the input is invalid, or if all subjects are refused.
[[nodiscard]] std::vector<Subject> subjects_of(const std::string& algorithms, ProblemOptions wanted,
                                               const Element& element, const World& world);

}  // namespace tutti::mpi
