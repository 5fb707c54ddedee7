// The time that rules would save a profiled program, as text, JSON and CSV.
#pragma once

#include <iosfwd>

#include "src/experiments/profiles/profile_decision.hpp"

namespace tutti::inline output {

// Prints the rules, those that save the most time first. `all`: also prints every kind of call
// (collective, number of ranks and size).
void print_profile(const ProfileDecision& decided, bool all, std::ostream& out);
// Write JSON, whose schema is src/formats/schemas/tutti-profile-1.schema.json, and CSV. The CSV has
// a line for each kind of call.
void write_profile_json(const ProfileDecision& decided, std::ostream& out);
void write_profile_csv(const ProfileDecision& decided, std::ostream& out);

}  // namespace tutti::inline output
