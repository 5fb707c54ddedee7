// What to take from which size on, and why.
#pragma once

#include <iosfwd>
#include <string>

#include "src/experiments/decisions/decision.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline output {

// "12.3 %"; from ten times on, "11 x": that much longer.
[[nodiscard]] std::string longer_in_words(double part);

// For each number of ranks what to take from which size on. Neighbours that decide alike share a
// line.
void print_rules(const Decision& decision, std::ostream& out);
// Why, for each that is taken anywhere: how far it is ahead, and what of it comes of where.
void print_reasons(const Decision& decision, std::ostream& out);
// "ahead by 3.1 % to 12 %; at n = 512 KiB, start-up: 32 us against 56 us of ring"; "" where nothing
// else is known.
[[nodiscard]] std::string lead_in_words(const Decision& decision, const RankDecision& each,
                                        std::size_t interval);
// What a library's file is made of, each rule with its lead. Who made it, and for whom, is not
// said. No steps where all is left to the library.
[[nodiscard]] RulesToWrite rules_to_write(const Decision& decision);
// One interval after the other, each with its lead and why.
void print_intervals(const Decision& decision, std::ostream& out);

}  // namespace tutti::inline output
