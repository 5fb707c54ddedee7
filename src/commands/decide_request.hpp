// Options of tutti decide, functions that turn these options into requests for decisions, and
// functions that export decisions. The files decide.cpp, decide_profile.cpp and decide_site.cpp
// share these functions.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "src/commands/cli.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/decisions/nccl_decision.hpp"
#include "src/experiments/profiles/profile.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/contender_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

// Value of --against that asks for a comparison with the choices of NCCL's own cost model.
inline constexpr const char* kAgainstNccl = "nccl";

// The source of the times: the value of --by.
struct TimesSource {
  TimedBy by = TimedBy::simulation;
  std::string file;  // with measured times, for TimedBy::measured
};

// A format of --export: rules, or all times as comma-separated values.
struct ExportFormat {
  RuleFormat rules = RuleFormat::tutti;
  bool csv = false;
};

struct DecideOptions {
  std::string collective;
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  TimesSource times;
  double tolerance = 0.01;
  std::optional<std::size_t> rules_at_most;
  std::optional<ValueWithText<double>> crossover;
  std::optional<std::string> against;  // path of a file, name of a library, or kAgainstNccl
  std::optional<ValueWithText<LibraryRelease>> library;
  std::optional<std::uint32_t> messages_at_most;  // must be empty if `library` is empty
  NcclOptions nccl;
  std::optional<ValueWithText<double>> model_loss;  // for rules of NCCL
  std::optional<std::uint32_t> placements;
  SureLevel sure;
  std::optional<std::string> profile;  // path of a file
  std::optional<ValueWithText<ExportFormat>> export_format;
  std::optional<std::string> output;  // path of a file or folder
  std::size_t jobs = processors();
  SweepOptions sweep;
  bool everything = false;

  void add_to(Command& command, Streams streams);
};

// The file of rules that --export and --output request.
struct DecisionExport {
  std::optional<std::string> path;  // empty if nothing is exported
  RuleFormat format = RuleFormat::tutti;
  bool csv = false;

  [[nodiscard]] std::optional<RuleFormat> library() const {
    return format != RuleFormat::tutti ? std::optional(format) : std::nullopt;
  }
};
// Throws UserError if the options do not fit together: if there is a file but no format, if two
// outputs go to standard output, or if rules are to be exported although the user gave programs
// (--with), which rules cannot name.
[[nodiscard]] DecisionExport export_of(const DecideOptions& options);
// Writes the decisions, each for a different collective, in the format `how`. There may be several
// decisions only if this is a library's format. For each decision, something_runs() must be true.
// Throws UserError if no rule remains, and InvariantError if a decision chooses an algorithm that
// the library does not have.
void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out);
// Returns how to decide rules of NCCL by simulation. Nothing if no such rules are exported, or if
// times are measured. `machine` is what open_machine() returns. Throws UserError for options that
// would have no effect.
[[nodiscard]] std::optional<NcclRuleSetup> nccl_rule_setup(const DecideOptions& options,
                                                           const DecisionExport& exported,
                                                           const OpenedMachine& machine,
                                                           Messages& messages);
// Adds the library's own choice to the candidates (see add_baseline()) if rules are exported for a
// library whose own choices are known, and which obeys a rule in every call. With `nccl`, replaces
// the candidates by NCCL's algorithms.
void add_own_choice(const DecideOptions& options, const DecisionExport& exported,
                    const std::optional<NcclRuleSetup>& nccl, PreparedDecision& prepared);
// Throws UserError if every rule to export would keep the library's own choice.
void check_rules_remain(const DecideOptions& options, const DecisionExport& exported,
                        const Decision& decision);
// If rules for `collectives` were exported, prints how to load the rule file, and what takes
// precedence over its rules. A comment in the file is not enough, because some formats have no
// comments.
void print_loading(const DecisionExport& exported, std::span<const Collective> collectives,
                   std::ostream& out);

// If NCCL's choices or rules are asked for, and the user names no platform, the decision gets the
// machine of --gpu and related options. Unless the user gives --ports, its number is unlimited.
// Throws UserError.
void use_machine_of_gpu(const DecideOptions& options, DecisionRequest& request);
// Opens the files that the options of the machine name. Throws UserError.
[[nodiscard]] OpenedMachine open_machine(const DecideOptions& options, Messages& messages);
// The request for a decision, and the user's programs that are among its candidates.
struct DecisionTask {
  // If the user does not give ranks or sizes, their lists in `request` are empty.
  DecisionRequest request;
  Programs programs;  // programs of --with, to which `request` points
};
// Returns the request for one collective. If `library`, the rule-file format of a library, is set,
// only algorithms of that library become candidates. `release` is the library's release, as in
// CandidateFilter. With written-out schedules among the candidates, their problems are the defaults
// of -p and -n, and only the sizes of the grid are tried unless the user gives --crossover. Throws
// UserError.
[[nodiscard]] DecisionTask decision_task(const DecideOptions& options, const OpenedMachine& machine,
                                         Collective collective, std::optional<RuleFormat> library,
                                         int release, Streams streams);
// Proves the programs of --with. Returns true if all programs are correct. Stops at the first wrong
// program: reports the reason as an error and returns false.
[[nodiscard]] bool prove_own(const PreparedDecision& prepared, Messages& messages);

// Returns the choices that --against names, with which the decision is compared. Returns nothing if
// the option is not given. Throws UserError if the value of --against is neither a table nor a
// library whose decisions are known.
[[nodiscard]] std::optional<Rival> baseline_of_against(const DecideOptions& options,
                                                       const PreparedDecision& prepared);
// Returns a runner that runs the decision's simulations, `jobs` at a time; null if --by needs no
// simulations.
[[nodiscard]] std::unique_ptr<Runner> runner_of(const DecideOptions& options,
                                                const Decision& decision, std::size_t jobs,
                                                Messages& messages);

// Throws UserError for options that have no effect with --profile, because the profile determines
// the ranks and sizes.
void refuse_what_profile_says(const DecideOptions& options);
// Returns the collective that the user named or, if it is missing or `all`, all collectives of the
// profile. Throws UserError if the profile has no calls to the named collective.
[[nodiscard]] std::vector<Collective> collectives_of(const DecideOptions& options,
                                                     const Profile& profile);
// Sets the numbers of ranks and the sizes of `request` to those of `calls`. Also sets the size of
// an element, unless the user has given it (`element_bytes_given`). Turns off the search for
// crossovers at sizes between those of `calls`.
void take_calls(const std::vector<ProfileCalls>& calls, bool element_bytes_given,
                DecisionRequest& request);
// Throws UserError if the user did not say how many ranks share a host, on which the choices of the
// library `what` depend.
void need_ranks_per_host(const DecideOptions& options, const std::string& what);

// Run 'tutti decide --library' and 'tutti decide --profile'. The option must be given. Return the
// exit code. Throw UserError.
[[nodiscard]] int decide_site(const DecideOptions& options, Streams streams);
[[nodiscard]] int decide_profile(const DecideOptions& options, Streams streams);

}}  // namespace tutti::commands
