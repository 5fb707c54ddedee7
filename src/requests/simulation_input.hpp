// What a command simulates: the schedule of an algorithm or a program, made when it is run, or one
// that was read from a file.
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
  std::string text;  // what the user has named it by
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Machine machine;
  std::optional<BestSegment> best;
};

// Throws UserError for what is not there, does not fit, or cannot be run.
[[nodiscard]] SimulationInput simulation_input(const std::string& text,
                                               const ProblemOptions& problem,
                                               const OpenedMachine& machine, bool no_verify);
// Two, each with the options that apply to it. Throws UserError for one that neither takes, too.
[[nodiscard]] std::array<SimulationInput, 2> simulation_inputs(
    const std::array<std::string, 2>& texts, const ProblemOptions& problem,
    const OpenedMachine& machine, bool no_verify);

// For what shows every rank: `option` is what asks for it. Throws UserError for --symmetry on.
void show_single_ranks(Machine& machine, std::string_view option);

// Proves what a user has written, and says to `err` where the proof fails.
[[nodiscard]] bool proved(const SimulationInput& subject, bool no_verify, std::ostream& err);

// Runs it. A schedule that came from a file goes into the result.
[[nodiscard]] Simulation simulate(SimulationInput& subject, Detail detail);

}  // namespace tutti::inline requests
