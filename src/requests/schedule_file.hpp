// A file in the notation in place of an algorithm: a schedule written out, or a program.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "src/requests/common_options.hpp"

namespace tutti::inline requests {

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

// An algorithm like those of the registry, but for what nobody has said of it.
struct ProgramFile {
  Program program;
  std::string name;  // with the values of parameters
  Algorithm algorithm;

  explicit ProgramFile(Program program);
  ProgramFile(const ProgramFile&) = delete;  // `algorithm` points to `name` and `program`
  ProgramFile& operator=(const ProgramFile&) = delete;
};

// One of the two.
struct NotationFile {
  std::unique_ptr<ScheduleFile> schedule;
  std::unique_ptr<ProgramFile> program;
};

// Whether the user means a file: what ends in .tutti or .sched, or is there and is no folder,
// unless an algorithm has that name.
[[nodiscard]] bool means_file(const std::string& what);

// Throws UserError, NotationError. Only a program uses the options: --limit, and --set with one
// value for each parameter.
[[nodiscard]] NotationFile read_notation_file(const std::string& path,
                                              const ProblemOptions& options);
// A program with each combination of the values that --set lists. Parameters of --set that it does
// not declare are ignored. Throws UserError, also if the file is a schedule.
[[nodiscard]] std::vector<std::unique_ptr<ProgramFile>> read_programs(
    const std::string& path, const ProblemOptions& options);
// Throws UserError for a parameter of --set that none of `programs` declares.
void check_parameters(const ProblemOptions& options, std::span<const Program* const> programs);

// The problem of the header. Throws UserError when an option says something else, or says what a
// file has said with its operations (--segment, --skips, ...).
[[nodiscard]] Problem problem_of(const ScheduleFile& file, const ProblemOptions& options);

// Throws UserError when the proof would need more memory than this machine has: a short file, which
// `path` names, can have many ranks and blocks.
void check_proof_fits(const Schedule& schedule, const std::string& path);
[[nodiscard]] Verdict prove(const Schedule& schedule, const std::string& path);

// For commands that do something else with a schedule. If it is wrong, says on `err` why and
// returns false. One of which nothing can be proved, since it is bare, passes: its results say so.
[[nodiscard]] bool proved_or_explained(const Verdict& verdict, const std::string& path,
                                       std::ostream& err);

inline constexpr const char* kNoVerifyHelp =
    "Of a file: do not prove first that the schedule is right";

}  // namespace tutti::inline requests
