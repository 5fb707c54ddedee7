// Input of a simulation: an algorithm or a program, whose schedule is made when the simulation
// runs, or a schedule that was read from a file.
#pragma once

#include <array>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline requests {

struct SimulationInput {
  std::string text;  // name or path that the user gave
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Machine machine;
  std::optional<BestSegment> best;
};

// Returns the input that `text` names. Throws UserError if it does not exist, contradicts the
// options, or cannot be run.
[[nodiscard]] SimulationInput simulation_input(const std::string& text,
                                               const ProblemOptions& problem,
                                               const OpenedMachine& machine, bool no_verify);
// Returns two inputs, each with the options that apply to it. Throws UserError as
// simulation_input() does, and for an option that neither takes.
[[nodiscard]] std::array<SimulationInput, 2> simulation_inputs(
    const std::array<std::string, 2>& texts, const ProblemOptions& problem,
    const OpenedMachine& machine, bool no_verify);

// Turns off symmetry, for output that shows every rank. `option` asks for that output. Throws
// UserError for --symmetry on.
void show_single_ranks(Machine& machine, std::string_view option);

// Proves a schedule or program in a file. If the proof fails, prints the reasons to `err` and
// returns false. Returns true for algorithms, and with `no_verify`.
[[nodiscard]] bool proved(const SimulationInput& subject, bool no_verify, std::ostream& err);

// Simulates `subject`. If its schedule came from a file, moves the schedule into the result.
[[nodiscard]] Simulation simulate(SimulationInput& subject, Detail detail);

}  // namespace tutti::inline requests
