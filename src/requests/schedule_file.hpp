// Files in tutti's notation that take the place of an algorithm: schedules and programs.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/messages.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {

struct ScheduleFile {
  std::string path;
  std::string name;  // algorithm name in the file's header
  Schedule schedule;
  double read_wall_s = 0;
  // An algorithm with the collective and the name in the header, for reports. It has no cost
  // formula, even if a registered algorithm of the same name has one.
  Algorithm algorithm;

  // The next members are for files of other tools (src/interchange/foreign_file.hpp). If the form
  // out of place and the form in place are both to be proved, `schedule` is the former.
  bool foreign = false;
  bool out_of_place = false;
  std::optional<Schedule> in_place;
  bool serves_any_size = false;
  std::vector<std::string> notes;

  ScheduleFile(std::string path, std::string name, Schedule schedule, double read_wall_s);
  ScheduleFile(const ScheduleFile&) = delete;  // because `algorithm` points to `name`
  ScheduleFile& operator=(const ScheduleFile&) = delete;
};

// A program, and an algorithm that runs it. The algorithm can be used like a registered algorithm,
// but has only the properties that the program states, and no formulas.
struct ProgramFile {
  Program program;
  std::string name;  // name of the program, followed by the values of its parameters
  Algorithm algorithm;

  explicit ProgramFile(Program program);
  void rename(std::string new_name);
  ProgramFile(const ProgramFile&) = delete;  // because `algorithm` points to `name` and `program`
  ProgramFile& operator=(const ProgramFile&) = delete;
};

// Either a schedule or a program; one of the two pointers is null.
struct NotationFile {
  std::unique_ptr<ScheduleFile> schedule;
  std::unique_ptr<ProgramFile> program;
};

// True if the user means a file: `what` ends in .tutti, .sched or, for files of other tools, .goal,
// .xml or .et; or it exists and is not a folder.
// The name of an algorithm never means a file.
[[nodiscard]] bool means_file(const std::string& what);

// Reads a schedule or a program. Uses only --limit and --set of the options, and only for a
// program; --set must give a single value for each parameter. Throws UserError or NotationError.
[[nodiscard]] NotationFile read_notation_file(const std::string& path,
                                              const ProblemOptions& options);
// Throws UserError if the text is recognised as something else than a schedule that tutti reads.
void refuse_other_file(std::string_view text, const std::string& path);
// Compiles the text of a program once for each combination of the values that --set lists.
// Parameters of --set that the program does not declare are ignored. Throws UserError.
[[nodiscard]] std::vector<std::unique_ptr<ProgramFile>> read_programs(
    const std::string& path, std::string_view text, const ProblemOptions& options);
// Throws UserError for a parameter of --set that none of `programs` declares.
void check_parameters(const ProblemOptions& options, std::span<const Program* const> programs);

// Returns the problem in the header of the file. Throws UserError if an option contradicts the
// header, or specifies what the operations in the file already determine (--segment, --skips, ...).
[[nodiscard]] Problem problem_of(const ScheduleFile& file, const ProblemOptions& options);

// Throws UserError, which names `path`, if the proof would need more memory than this machine has.
// Even a short file can have many ranks and blocks.
void check_proof_fits(const Schedule& schedule, const std::string& path);
[[nodiscard]] Verdict prove(const Schedule& schedule, const std::string& path);
// Proves each schedule of the file. Returns the verdict on ScheduleFile::schedule; if that is
// proved and the one in place is wrong, the verdict on the latter.
[[nodiscard]] Verdict prove(const ScheduleFile& file);

// Returns true if the schedule is proved, so that the command can use it. If the schedule is wrong,
// reports an error with the reasons, and returns false. Also returns true for a schedule that does
// not say which blocks its messages contain: nothing can be proved about it, and the results of the
// command report that.
[[nodiscard]] bool proved_or_explained(const Verdict& verdict, const std::string& path,
                                       Messages& messages);

inline constexpr const char* kNoVerifyHelp =
    "For a file: do not prove that the schedule is correct before it is used";

}}  // namespace tutti::requests
