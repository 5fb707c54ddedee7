// Runs the commands of the program in this process, and the cells of a sweep elsewhere.
//
//     const tutti::CommandOutput said = tutti::run_command(
//         {"explain", "allreduce/ring", "-p", "16", "-n", "1MiB", "--json", "-"});
//     if (said.exit_code == 0) {
//       parse(said.out);  // a document with the schema tutti-explanation/1
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tutti/version.hpp"

TUTTI_BEGIN

// An event that an executor reports about a cell that it was given.
struct CellEvent {
  std::uint64_t ticket = 0;  // the number with which the cell was submitted
  // True if the cell has no answer because its worker was lost. The cell is submitted again.
  bool lost = false;
  std::string text;  // the answer, as run_cell() returned it; or how the worker was lost
};

// Runs the cells of a sweep, for example in the processes of a cluster. A cell is one simulation,
// as a line of text. The worker that gets this line calls run_cell(). It must have the same build
// of tutti and see the same files as the process that runs the command.
class CellExecutor {
 public:
  CellExecutor() = default;
  CellExecutor(const CellExecutor&) = delete;
  CellExecutor& operator=(const CellExecutor&) = delete;
  virtual ~CellExecutor() = default;

  // Says that `cells` further cells will be submitted.
  virtual void expect(std::size_t cells) = 0;
  // Returns how many further cells may be submitted now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  virtual void submit(std::uint64_t ticket, std::string cell) = 0;
  // Waits until there is an event, but for at most `at_most_s` seconds. Returns the events; there
  // may be none.
  [[nodiscard]] virtual std::vector<CellEvent> wait(double at_most_s) = 0;
};

// Runs a cell, and returns its answer. If the text is not a cell of this build, or a file that it
// names is missing or differs, the answer says so.
[[nodiscard]] std::string run_cell(const std::string& cell);

// An algorithm of the calling program, which the commands compare, decide and search then time
// beside the others. Its schedules must be right: each is proved before it is used, and a wrong one
// ends the command with exit code 1.
class ScheduleSource {
 public:
  ScheduleSource() = default;
  ScheduleSource(const ScheduleSource&) = delete;
  ScheduleSource& operator=(const ScheduleSource&) = delete;
  virtual ~ScheduleSource() = default;

  // Returns the name of the algorithm, without the collective.
  [[nodiscard]] virtual std::string name() const = 0;
  // Returns the path of a file that has the schedule for this problem in tutti's notation and stays
  // there while the command runs; "" if the algorithm cannot run the problem. Called once for each
  // problem. An exception ends the command, and run_command() throws it again.
  [[nodiscard]] virtual std::string schedule_file(std::uint32_t ranks, std::uint64_t bytes) = 0;
};

// A message that a command gives its user in addition to its result.
struct Message {
  enum class Kind : std::uint8_t {
    error,    // the command has failed, or a check has
    warning,  // the user should know this about the result
    note,     // the user should know this about the input
    status    // what the command has done, such as results that it found in a database
  };
  Kind kind = Kind::error;
  std::string text;     // one line
  std::string details;  // lines below it, such as where an error is
};

struct CommandOutput {
  int exit_code = 0;  // 0: done; 1: a check has failed; 2: invalid input; 3: a bug in tutti
  std::string out;    // what the command prints: its result
  std::vector<Message> messages;
};

// How messages name the options of a command.
enum class FieldNames : std::uint8_t {
  flags,     // "--ranks-per-host", as on the command line
  arguments  // "ranks_per_host", and "with_" for a keyword of Python
};

struct CommandSettings {
  // Runs the simulations of compare, decide and score; the process that calls run_command() writes
  // their database (--db). Null: the process runs them itself, and --db is
  // invalid input.
  CellExecutor* executor = nullptr;
  // Algorithms that compare, decide and search also time.
  std::vector<ScheduleSource*> sources = {};
  FieldNames names = FieldNames::flags;
  // A path that begins with this text is of a temporary file. The description of how a result was
  // made shows such a path without its folder, so that equal commands write equal files.
  std::string temporary_files = "";
};

// Runs a command. `arguments` are those of the program: {"list", "allreduce"}. Commands run one at
// a time: a second call waits for the first.
[[nodiscard]] CommandOutput run_command(const std::vector<std::string>& arguments,
                                        const CommandSettings& settings = {});

TUTTI_END
