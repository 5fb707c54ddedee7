// The options of tutti decide, and what they come to before anything is timed.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "src/experiments/contender_options.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti {

struct DecideOptions {
  std::string collective;
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::vector<std::string> by;  // "exact", or "measured" and a file
  OptionText tolerance;
  OptionText rules_at_most;
  OptionText crossover;
  OptionText against;
  OptionText placements;
  OptionText profile;
  OptionText export_format;
  OptionText output;
  OptionText jobs;
  SweepOptions sweep;
  bool everything = false;

  void add_to(CLI::App& command);
};

// --export.
struct DecisionExport {
  bool asked = false;
  RuleFormat format = RuleFormat::tutti;
  bool csv = false;

  [[nodiscard]] std::optional<RuleFormat> library() const {
    return asked && format != RuleFormat::tutti ? std::optional(format) : std::nullopt;
  }
};
[[nodiscard]] DecisionExport parse_export(const OptionText& text);

// What --export asks for. Throws InvariantError for a choice that the library lacks.
void write_export(const Decision& decision, const DecisionExport& how, std::ostream& out);

// A decision of which nothing is timed yet: its grid, candidates and machines.
struct PreparedDecision {
  Decision decision;
  ProblemTemplate asked;
  Programs programs;  // of --with; candidates point to them
};
// Throws UserError for all that can be known to be wrong.
[[nodiscard]] PreparedDecision prepare_decision(const DecideOptions& options, Collective collective,
                                                std::optional<RuleFormat> library);
// False, with why on `err`, where a program of --with is wrong.
[[nodiscard]] bool prove_own(const PreparedDecision& prepared, std::ostream& err);

// Null where nothing is run.
[[nodiscard]] std::unique_ptr<Runner> runner_of(const DecideOptions& options,
                                                const Decision& decision, std::size_t jobs,
                                                std::ostream& err);
// Times it all, and decides.
void carry_out(PreparedDecision& prepared, Runner* runner, std::size_t jobs, bool everything);

}  // namespace tutti
