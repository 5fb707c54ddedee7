// Converts between the public types of include/tutti and the internal types, and converts internal
// exceptions to public ones.
#pragma once

#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/messages.hpp"
#include "base/work_ticker.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/problem_request.hpp"
#include "src/simulation/machine.hpp"
#include "tutti/comparison.hpp"
#include "tutti/error.hpp"
#include "tutti/machine.hpp"
#include "tutti/problem.hpp"
#include "tutti/schedule.hpp"

namespace tutti::v1 {

class Schedule::Inside {
 public:
  Inside(std::string named, const tutti::Algorithm* known, v1::Problem of, tutti::Schedule made)
      : algorithm(std::move(named)),
        registered(known),
        problem(std::move(of)),
        schedule(std::move(made)) {}

  // The public functions return dependencies as arrays in memory, so they must be stored as lists.
  // The lists are made when they are first asked for, because a simulation is faster without them.
  struct Lists {
    DependencyRows predecessors;
    DependencyRows successors;
  };
  [[nodiscard]] const Lists& lists() const {
    std::call_once(listed_, [this] {
      lists_ = {schedule.predecessor_rows(), schedule.successor_rows()};
      lists_.predecessors.unfold();
      lists_.successors.unfold();
    });
    return lists_;
  }

  std::string algorithm;
  // Null for a schedule read from text, for which no formula is known.
  const tutti::Algorithm* registered = nullptr;
  v1::Problem problem;
  tutti::Schedule schedule;

 private:
  mutable std::once_flag listed_;
  mutable Lists lists_;
};

// inner() converts a problem of the public library to the internal type, and outer() does the
// reverse. inner() throws UserError if the problem is for another collective than the algorithm, if
// the algorithm does not accept an option, or if a value is invalid.
[[nodiscard]] tutti::Problem inner(const v1::Problem& problem, const tutti::Algorithm& algorithm);
[[nodiscard]] v1::Problem outer(const tutti::Problem& problem, const tutti::Algorithm& algorithm);

struct OpenMachine::Inside {
  OpenedMachine opened;
  std::uint32_t ranks_per_host = 1;
  std::vector<std::string> warnings = {};
};

// Parses options as on the command line. Throws UserError.
void parse_options(Command& command, const std::vector<std::string>& options);

// Converts a machine to internal types, and reads its platform. Throws UserError if the machine is
// invalid, or if the platform cannot be read.
[[nodiscard]] OpenedMachine inner(const v1::Machine& machine);

struct InnerGrid {
  tutti::Collective collective = tutti::Collective::allreduce;
  ProblemRequest problems;  // ranks and sizes in ascending order
  OpenedMachine machine;
  std::size_t jobs = 1;
};
// Converts a grid to internal types. Throws UserError if there are no ranks or sizes, if a number
// of ranks is 0, or if an option is invalid.
[[nodiscard]] InnerGrid inner(const Grid& grid);

// While an object of this class exists, a function of the library runs. interrupt() ends only
// functions that run.
class Running {
 public:
  Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();
};

// Waits until no other command runs in this process, since commands set values of the whole
// process; until this object is destroyed, none begins. Throws Error if this thread already runs a
// command.
class OneCommand {
 public:
  OneCommand();
  OneCommand(const OneCommand&) = delete;
  OneCommand& operator=(const OneCommand&) = delete;
  ~OneCommand();

 private:
  Running running_;
  std::unique_lock<std::timed_mutex> lock_;
};

// Calls `what` and returns its result. Converts internal exceptions to the exceptions that the
// public headers document.
template <typename What>
auto guarded(What&& what) {
  const Running running;
  try {
    return std::forward<What>(what)();
  } catch (const UserError& error) {
    throw v1::Error(line_of({MessageKind::error, error.what(), ""}, tutti::FieldNames::arguments));
  } catch (const Cancellation&) {
    throw v1::Interrupted();
  } catch (const InvariantError& error) {
    throw std::logic_error(error.what());  // the public headers do not declare InvariantError
  }
}

}  // namespace tutti::v1
