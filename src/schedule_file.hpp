// A file in the notation in place of an algorithm.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "src/common_options.hpp"

namespace tutti {

struct ScheduleFile {
  std::string path;
  std::string name;  // of the header
  Schedule schedule;
  double read_wall_s = 0;
  // Collective and name of the header, for reports. Nothing else is known of a file: no formula, no
  // closed form, even where it bears the name of an algorithm that has them.
  Algorithm algorithm;

  ScheduleFile(std::string path, std::string name, Schedule schedule, double read_wall_s);
  ScheduleFile(const ScheduleFile&) = delete;  // `algorithm` points to `name`
  ScheduleFile& operator=(const ScheduleFile&) = delete;
};

// Whether the user means a file: what ends in .tutti or .sched, or is there and is no folder,
// unless an algorithm has that name.
[[nodiscard]] bool means_file(const std::string& what);

// Throws UserError, NotationError.
[[nodiscard]] std::unique_ptr<ScheduleFile> read_schedule_file(const std::string& path);

// The problem of the header. Throws UserError when an option says something else, or says what a
// file has said with its operations (--segment, --skips, ...).
[[nodiscard]] Problem problem_of(const ScheduleFile& file, const ProblemOptions& options);

// Throws UserError when the proof would need more memory than this machine has: a short file can
// name many ranks and blocks.
[[nodiscard]] Verdict prove(const ScheduleFile& file);

// Proves the schedule; if that fails, says on `err` what is wrong and returns false. For commands
// that do something else with it.
[[nodiscard]] bool proved_or_explained(const ScheduleFile& file, std::ostream& err);

inline constexpr const char* kNoVerifyHelp =
    "Of a file: do not prove first that the schedule is right";

}  // namespace tutti
