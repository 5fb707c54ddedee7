// The results of `tutti decide` as text, JSON and CSV.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "src/experiments/decisions/leads.hpp"

namespace tutti::inline output {

// Returns the reason why `best` is faster than `second`, in terms of alpha, beta, gamma and
// contention: "start-up: 12.6 us against 58.8 us for ring". Returns "" if it is unknown what the
// time was spent on.
[[nodiscard]] std::string reason(const CandidateTime& best, const CandidateTime& second,
                                 const std::string& second_name);

// Prints which algorithm to use from which size on, and why. If the decision contains a judgement
// of a table of rules, first prints how much time that table loses, the worst cells first. `all`:
// prints every interval with its lead, and every cell.
void print_decision(const Decision& decision, bool all, std::ostream& out);
// Write JSON, whose schema is src/formats/schemas/tutti-decide-2.schema.json, and CSV. The CSV has
// a line for each cell and candidate.
void write_decision_json(const Decision& decision, std::ostream& out);
void write_decision_csv(const Decision& decision, std::ostream& out);

// Returns one line about the origin of the decisions: their collectives, the source of the times,
// and the platform. The decisions may differ only in their collective.
[[nodiscard]] std::string made_by(std::span<const Decision* const> decisions);

}  // namespace tutti::inline output
