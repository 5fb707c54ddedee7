// What rules save of a program's seconds: in words, in JSON, and line by line.
#pragma once

#include <iosfwd>

#include "src/experiments/profiles/profile_decision.hpp"

namespace tutti::inline output {

// The rules that save most first; `all`: and every kind of call.
void print_profile(const ProfileDecision& decided, bool all, std::ostream& out);
// src/formats/schemas/tutti-profile-1.schema.json; a line for each kind of call.
void write_profile_json(const ProfileDecision& decided, std::ostream& out);
void write_profile_csv(const ProfileDecision& decided, std::ostream& out);

}  // namespace tutti::inline output
