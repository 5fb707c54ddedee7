// All that `tutti decide` has found: in words, in JSON, and line by line.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "src/experiments/decisions/leads.hpp"

namespace tutti::inline output {

// Why the first is quicker than the second, in terms of alpha, beta, gamma and contention:
// "start-up: 12.6 us against 58.8 us of ring". "" where nothing is known of where the time goes.
[[nodiscard]] std::string reason(const CandidateTime& best, const CandidateTime& second,
                                 const std::string& second_name);

// Which algorithm to take from which size on and why, and before that what a table that it is
// judged against loses, the worst cells first. `all`: every interval with its lead, and every cell.
void print_decision(const Decision& decision, bool all, std::ostream& out);
// src/formats/schemas/tutti-decide-2.schema.json; a line for each cell and candidate.
void write_decision_json(const Decision& decision, std::ostream& out);
void write_decision_csv(const Decision& decision, std::ostream& out);

// One line on where the decisions come from; they are alike but for the collective.
[[nodiscard]] std::string made_by(std::span<const Decision* const> decisions);

}  // namespace tutti::inline output
