// The result of `tutti decide`, before it is printed as text, as JSON or as a library's rules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision_search.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/experiments/decisions/sure_choices.hpp"
#include "src/rule_files/write_rules.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

// The choice of a rival (see rival.hpp) in one cell of the grid.
struct TableCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  std::optional<Choice> choice;  // empty if the rival has no choice
  Choice runs;                   // the choice, or what the library runs instead
  // Why the choice itself cannot run, or why the time of `runs` is unknown; otherwise "".
  std::string refusal;
  std::optional<double> seconds;  // time of `runs`; empty if it is unknown
  double below_s = 0;             // below_s and above_s: as in CandidateTime
  double above_s = 0;
  RangedTime best;

  // Time of `runs`, which must be known.
  [[nodiscard]] RangedTime time() const { return {*seconds, below_s, above_s}; }
  // Loss of the rival's choice: 0.1 if it takes 10 % longer than `best`; 0 if ties may account for
  // the difference.
  [[nodiscard]] std::optional<double> loss() const;
};

struct Judgement {
  std::string rival;
  std::string title;       // "" if the name suffices
  std::string before;      // as in Rival
  bool runs_nccl = false;  // as in Rival
  std::vector<TableCell> cells;

  [[nodiscard]] std::size_t judged() const;  // number of cells with a known loss
  // Returns the mean over the judged cells; empty if there is no such cell.
  [[nodiscard]] std::optional<double> mean_loss() const;
  [[nodiscard]] const TableCell* worst() const;
};

struct Decision {
  Collective collective = Collective::allreduce;
  TimedBy by = TimedBy::simulation;
  std::string measured_file;
  // Number of runs in measured_file that were left out because the machine was too busy.
  std::size_t too_busy_runs = 0;
  // Notes on the files of measured_file for the user, a sentence each.
  std::vector<std::string> measured_notes;
  RuleLimits limits;
  double crossover = 0;
  // For rules of NCCL whose times are simulated: a rule may choose only what NCCL's own model finds
  // at most this much slower than NCCL's own choice; 0.1 is 10 %.
  std::optional<double> model_loss;
  std::uint32_t element_bytes = 8;
  std::vector<Candidate> candidates;
  std::vector<std::string> left_out;
  // Names of the in-network algorithms for which the platform has switches. Rules cannot select
  // these algorithms.
  std::vector<std::string> of_switches;
  // Schedules with more messages than this are not simulated; empty: no limit.
  std::optional<std::uint64_t> most_messages;
  // Numbers of ranks that are left out of `ranks`, because a candidate with more than most_messages
  // messages might be the best. In rising order.
  std::vector<std::uint32_t> too_many_ranks;
  // Value of most_messages that would be enough to decide also for too_many_ranks.
  std::uint64_t messages_needed = 0;
  std::vector<std::uint32_t> ranks;  // in rising order
  std::vector<std::uint64_t> sizes_bytes;
  // True if sizes_bytes has block sizes, which are vector sizes divided by the number of ranks.
  bool sizes_are_blocks = false;
  // One per entry of `ranks`. With several placements: all machines of the first placement, then
  // all of the second, and so on. Empty if times are measured.
  std::vector<Machine> machines;
  std::uint32_t first_seed = 1;         // seed of the first placement, if there are several
  std::optional<MachineFacts> facts;    // facts of the machine with the most ranks
  std::vector<RankDecision> decisions;  // one per entry of `ranks`
  std::optional<Judgement> judgement;
  std::optional<SureChoices> sure;  // set if requested
  double wall_s = 0;

  // Returns the bytes of the whole vector for `size`, an entry of sizes_bytes.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t size, std::uint32_t on_ranks) const {
    return sizes_are_blocks ? size * on_ranks : size;
  }
  [[nodiscard]] std::size_t placements() const {
    return machines.empty() ? 1 : machines.size() / ranks.size();
  }
};

// Describes a rule for users: the interval with the index `interval` in RankDecision::intervals.
using WhyRule =
    std::function<std::string(const Decision&, const RankDecision&, std::size_t interval)>;
// Returns the decision table, as steps_of() does; empty if every choice is left to the library.
// `why` may be null.
[[nodiscard]] std::vector<RankStep> steps_decided(const Decision& decision,
                                                  const WhyRule& why = nullptr);
// Returns the rules for a library's rule file. The caller adds `made_by` and `release`.
// RulesToWrite::steps is empty if all decisions are left to the library.
[[nodiscard]] RulesToWrite rules_to_write(const Decision& decision, const WhyRule& why);

// True if a rule chooses something else than the library's own choice.
[[nodiscard]] bool has_rules(const Decision& decision);

// Returns a problem of the decision's collective, without options.
[[nodiscard]] Problem problem_on(const Decision& decision, std::uint32_t ranks,
                                 std::uint64_t bytes);
// Returns the time by the closed form of the case's algorithm; nothing if it has none.
[[nodiscard]] std::optional<double> formula_s(const Case& what);
// Fills in TimedCell::bound_s in all cells whose times are simulated.
void find_limits(Decision& decision);
// Adds the baseline to a decision: the candidate whose schedule is what the library runs
// without rules, which `choose` returns. No rule is then slower than the baseline by more than the
// tolerance, and there is no rule where the time of the baseline is unknown.
void add_baseline(Decision& decision, std::string label,
                  std::function<RivalChoice(const Problem&)> choose);
// Fills in the times of the baseline, if there is one, from those of the candidates with the same
// schedule. Needed if times are measured; otherwise, the baseline is timed like any candidate.
void take_baseline_times(Decision& decision);
// Compares the rival's choice in each cell of the grid with the best candidate in that cell.
// `runner` may be null if nothing is run.
[[nodiscard]] Judgement judge(const Decision& decision, const Rival& rival, Runner* runner);

}}  // namespace tutti::experiments
