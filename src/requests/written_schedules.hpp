// Schedules that are written out for single problems and take part in commands that compare
// algorithms: files in tutti's notation, each of which serves the problem in its header, MSCCL
// files, which serve any size, and functions of the program that uses tutti as a library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/requests/schedule_file.hpp"

namespace tutti { inline namespace requests {

// Makes schedules for the problems that a command needs.
class ScheduleSource {
 public:
  ScheduleSource() = default;
  ScheduleSource(const ScheduleSource&) = delete;
  ScheduleSource& operator=(const ScheduleSource&) = delete;
  virtual ~ScheduleSource() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // Returns the path of a file that has the schedule in tutti's notation; "" if the source has none
  // for this problem.
  [[nodiscard]] virtual std::string file(std::uint32_t ranks, std::uint64_t bytes) = 0;
};

// A source made a schedule that does not perform its collective. It is not a UserError, so that the
// command ends instead of leaving the schedule out.
struct WrongSchedule {
  std::string text;  // one line
};

// Text of a file with a schedule, and what its header says.
struct WrittenFile {
  std::string path;
  std::string text;
  std::string name;  // of the algorithm; "unnamed" if the header has none
  Problem problem;
  bool serves_any_size = false;  // an MSCCL file: only `ranks` and `collective` of `problem` count
  std::uint32_t switches = 0;
  std::vector<std::string> notes = {};  // why MSCCL's executor would not load the file
};

// Reads a file that is not a program. `collective` is that of an MSCCL file that does not name it.
// Throws UserError, also for an application, which does not belong to a collective.
[[nodiscard]] WrittenFile read_written_file(const std::string& path, std::string text,
                                            std::optional<Collective> collective);

// Returns the algorithms of the files. Files with the same name in their headers are one algorithm
// if each is for another problem.
[[nodiscard]] std::vector<std::unique_ptr<ProgramFile>> written_algorithms(
    std::vector<WrittenFile> files);
// Returns the algorithm of a source, which the caller must keep. If `verifies` is true, the
// algorithm throws WrongSchedule where it would use a wrong schedule.
[[nodiscard]] std::unique_ptr<ProgramFile> called_algorithm(Collective collective,
                                                            ScheduleSource& source, bool verifies);

// Returns the files of an algorithm; empty for a program and for a source.
[[nodiscard]] std::span<const WrittenFile> files_of(const Program& program);

// Gives `options` the problem of a file, where the user has not given it: the numbers of ranks and
// bytes, the element size, the root and the sizes of blocks.
void take_problem(const Problem& problem, bool serves_any_size, ProblemOptions& options);
// Gives `options` the problems of all files of the algorithms, where the user has not given them.
// Throws UserError, which names the option and the file, if the options leave no problem for the
// files of an algorithm. Returns sentences for the user: about files that stay unused although
// others of their algorithm are used, and WrittenFile::notes.
std::vector<std::string> take_problems(std::span<const std::unique_ptr<ProgramFile>> programs,
                                       ProblemOptions& options);

}}  // namespace tutti::requests
