// The options of tutti decide, read into a request before anything is timed.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/experiments/contender_options.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti::inline commands {

// What NCCL would choose by its own model, in place of a file.
inline constexpr const char* kAgainstNccl = "nccl";

struct DecideOptions {
  std::string collective;
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::vector<std::string> by;  // one of times_by_names(), and behind "measured" a file
  OptionText tolerance;
  OptionText rules_at_most;
  OptionText crossover;
  OptionText against;  // a file, a library, or kAgainstNccl
  OptionText library;
  OptionText messages_at_most;  // beside library
  NcclOptions nccl;
  OptionText placements;
  OptionText profile;
  OptionText export_format;
  OptionText output;
  OptionText jobs;
  SweepOptions sweep;
  bool everything = false;

  void add_to(Command& command);
  // With as many GPUs on a node as --ranks-per-host says.
  [[nodiscard]] NcclOptions nccl_machine() const;
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
// Of --by: "simulation", "exact", ...
[[nodiscard]] std::vector<std::string> times_by_names();

// Throws UserError for rules among whose candidates are programs of the user.
void refuse_own_in_rules(const DecideOptions& options, const DecisionExport& exported);

// What --export asks for, of one collective each; several only where `how` is a library's form.
// Something runs of each. Throws InvariantError for a choice that the library lacks.
void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out);
// How the library is told of the file, and what it asks before it: not every form has comments.
void print_loading(RuleFormat format, const std::string& path,
                   std::span<const Collective> collectives, std::ostream& out);

// Reads the options of the machine and opens the files that they name. Throws UserError.
[[nodiscard]] OpenedMachine open_machine(const DecideOptions& options);
// The request for a decision.
struct AskedDecision {
  DecisionRequest request;  // without ranks or sizes where these are not given
  Programs programs;        // of --with; candidates point to them
};
// Throws UserError. `release` as CandidatesAsked has it.
[[nodiscard]] AskedDecision asked_decision(const DecideOptions& options,
                                           const OpenedMachine& machine, Collective collective,
                                           std::optional<RuleFormat> library, int release = 0);
// False, with why on `err`, where a program of --with is wrong.
[[nodiscard]] bool prove_own(const PreparedDecision& prepared, std::ostream& err);

// --against; throws UserError for what is no table, and no library whose decisions are known.
[[nodiscard]] std::optional<Rival> rival_of(const DecideOptions& options,
                                            const PreparedDecision& prepared);
// Null where nothing is run.
[[nodiscard]] std::unique_ptr<Runner> runner_of(const DecideOptions& options,
                                                const Decision& decision, std::size_t jobs,
                                                std::ostream& err);
}  // namespace tutti::inline commands
