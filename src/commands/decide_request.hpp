// Options of tutti decide, and their conversion to a request before anything is timed.
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

// Value of --against that names the choices of NCCL's own cost model, in place of a file.
inline constexpr const char* kAgainstNccl = "nccl";

struct DecideOptions {
  std::string collective;
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::vector<std::string> by;  // one of times_by_names(); after "measured", also a file
  OptionText tolerance;
  OptionText rules_at_most;
  OptionText crossover;
  OptionText against;  // a file, a library, or kAgainstNccl
  OptionText library;
  OptionText messages_at_most;  // only with `library`
  NcclOptions nccl;
  OptionText placements;
  OptionText profile;
  OptionText export_format;
  OptionText output;
  OptionText jobs;
  SweepOptions sweep;
  bool everything = false;

  void add_to(Command& command);
  // Options of NCCL's machine. If they do not give the number of GPUs on a node, it is that of
  // --ranks-per-host.
  [[nodiscard]] NcclOptions nccl_machine() const;
};

// The parsed value of --export.
struct DecisionExport {
  bool asked = false;
  RuleFormat format = RuleFormat::tutti;
  bool csv = false;

  [[nodiscard]] std::optional<RuleFormat> library() const {
    return asked && format != RuleFormat::tutti ? std::optional(format) : std::nullopt;
  }
};
[[nodiscard]] DecisionExport parse_export(const OptionText& text);
// Values of --by: "simulation", "exact", ...
[[nodiscard]] std::vector<std::string> times_by_names();

// Throws UserError if rules are exported and a program of the user is among the candidates.
void refuse_own_in_rules(const DecideOptions& options, const DecisionExport& exported);

// Writes the decisions in the format of --export. Each decision is for a different collective;
// there may be several only if `how` is a library's format. Each decision must have an algorithm
// that runs. Throws InvariantError if the library does not have a chosen algorithm.
void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out);
// Prints how to load the file, and what takes precedence over its rules. The file itself cannot say
// so, because not every format has comments.
void print_loading(RuleFormat format, const std::string& path,
                   std::span<const Collective> collectives, std::ostream& out);

// Reads the options of the machine and opens the files that they name. Throws UserError.
[[nodiscard]] OpenedMachine open_machine(const DecideOptions& options);
// The request for a decision.
struct AskedDecision {
  DecisionRequest request;  // has no ranks or sizes if the user gives none
  Programs programs;        // programs of --with; candidates point to them
};
// Returns the request for one collective. `release` is encoded as in CandidatesAsked. Throws
// UserError.
[[nodiscard]] AskedDecision asked_decision(const DecideOptions& options,
                                           const OpenedMachine& machine, Collective collective,
                                           std::optional<RuleFormat> library, int release = 0);
// Proves the programs of --with. If one is wrong, prints why to `err` and returns false.
[[nodiscard]] bool prove_own(const PreparedDecision& prepared, std::ostream& err);

// Returns the rival of --against. Throws UserError if --against names neither a table nor a library
// whose decisions are known.
[[nodiscard]] std::optional<Rival> rival_of(const DecideOptions& options,
                                            const PreparedDecision& prepared);
// Returns the runner for the decision's simulations; null if nothing is simulated.
[[nodiscard]] std::unique_ptr<Runner> runner_of(const DecideOptions& options,
                                                const Decision& decision, std::size_t jobs,
                                                std::ostream& err);
}  // namespace tutti::inline commands
