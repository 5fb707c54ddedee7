// The input of a simulation: an algorithm, a program or a schedule. For an algorithm or a program,
// the schedule is made when the simulation runs. Otherwise, the schedule has been read from a file.
#pragma once

#include <array>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/messages.hpp"
#include "schedules/algorithm.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace requests {

struct SimulationInput {
  std::string text;  // name of an algorithm, or path of a file, as the user wrote it
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Machine machine;
  std::optional<BestSegment> best;
  bool unverified = false;  // a file that is used without a proof (--no-verify)
};

// Returns the machine for the problem. If it is an application, a local operation takes the time
// that the application gives. Throws UserError, also if the user gave gamma for an application.
[[nodiscard]] Machine machine_for(const Problem& problem, std::uint32_t ranks_per_host,
                                  const OpenedMachine& machine);

// Returns the input that `text` names. Throws UserError if there is no such algorithm or file, if
// the input contradicts the options, or if it cannot be run.
[[nodiscard]] SimulationInput simulation_input(const std::string& text,
                                               const ProblemOptions& problem,
                                               const OpenedMachine& machine, bool no_verify);
// Returns the inputs that the two texts name, each with the options that apply to it. Throws
// UserError in the same cases as simulation_input(), and for an option that applies to neither
// input.
[[nodiscard]] std::array<SimulationInput, 2> simulation_inputs(
    const std::array<std::string, 2>& texts, const ProblemOptions& problem,
    const OpenedMachine& machine, bool no_verify);

// If the user gave --segment auto, stores the best segment size in problem.segment_bytes and
// returns it.
std::optional<BestSegment> take_best_segment(const ProblemOptions& given,
                                             const Algorithm& algorithm, const Machine& machine,
                                             Problem& problem);

// Turns off symmetry, because the output that `option` requests shows every rank. Throws UserError
// if the user gave --symmetry on.
void show_single_ranks(Machine& machine, std::string_view option);

// Proves a schedule or program that was read from a file. If it is wrong, reports an error and
// returns false; otherwise returns true. For algorithms and unverified files, returns true without
// a proof.
[[nodiscard]] bool proved(const SimulationInput& subject, Messages& messages);

// Simulates `subject`. If its schedule came from a file, moves the schedule into the result.
[[nodiscard]] Simulation simulate(SimulationInput& subject, Detail detail);

}}  // namespace tutti::requests
