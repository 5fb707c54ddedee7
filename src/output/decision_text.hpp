// The results of `tutti decide` as text, JSON and CSV.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "src/experiments/decisions/leads.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// Prints which algorithm to use from which size on, and why. If the decision contains a judgement
// of a table of rules, first prints how much time that table loses, the worst cells first. `all`:
// prints every interval with its lead, and every cell.
void print_decision(const Decision& decision, bool all, std::ostream& out);
extern const DocumentOf<Decision> kDecisionDocument;
// Writes CSV: a line for each cell and candidate.
void write_decision_csv(const Decision& decision, std::ostream& out);

// Returns one line about the origin of the decisions: their collectives, the source of the times,
// and the platform. The decisions may differ only in their collective.
[[nodiscard]] std::string made_by(std::span<const Decision* const> decisions);

// The following functions print parts of the above.

// Prints what the times are based on: the platform, its prices and hosts, what-if changes, and the
// source of the times.
void print_grounds_of_times(const Decision& decision, std::ostream& out);
// The simulated machine of a decision that has one; kSiteMachineFields is without ranks_per_host.
[[nodiscard]] FieldView decision_machine_fields();
inline constexpr FieldsOf<Decision> kDecisionMachineFields{decision_machine_fields};
[[nodiscard]] FieldView site_machine_fields();
inline constexpr FieldsOf<Decision> kSiteMachineFields{site_machine_fields};
// The results for several placements, and the comparison with a table of rules.
[[nodiscard]] FieldView placement_fields();
inline constexpr FieldsOf<Decision> kPlacementFields{placement_fields};
using JudgementAnswer = PartOf<Decision, Judgement>;
[[nodiscard]] FieldView judgement_fields();
inline constexpr FieldsOf<JudgementAnswer> kJudgementFields{judgement_fields};
// "timed", "refused" and so on.
[[nodiscard]] std::string_view name(CandidateTime::State state);

// Prints how much time is lost if a table of rules is used instead of the decision, the worst cells
// first. `all`: prints all cells, not only the worst.
void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out);

// Prints how much time each choice loses in individual placements. Prints nothing if there is only
// one placement. `all`: prints every cell, not only those in which the choice loses most.
void print_placements(const Decision& decision, bool all, std::ostream& out);

// For each program of --with: prints the cells of the grid in which the program is the fastest
// candidate, or, if there are none, how close it comes to the fastest candidate. Prints nothing
// without --with.
void print_own(const Decision& decision, std::ostream& out);

}}  // namespace tutti::output
