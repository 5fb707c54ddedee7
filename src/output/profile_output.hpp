// The time that rules would save a profiled program, as text, JSON and CSV.
#pragma once

#include <iosfwd>
#include <string>

#include "src/experiments/profiles/profile_decision.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// Formats a number of calls: "1,200", or "12.5" for a mean over ranks.
[[nodiscard]] std::string calls_in_words(double calls);
// Describes how much of the time in collectives is saved: "saves 1.2 s of the 3.4 s spent in
// collectives (35.3 %)". `untold_calls`: number of calls that are not in these sums.
[[nodiscard]] std::string saving_in_words(double before_s, double after_s, double untold_calls);

// Prints how much time the rules save for each kind of call (collective, number of ranks and size),
// those that save most first. `all`: prints all of them.
void print_profile(const ProfileDecision& decided, bool all, std::ostream& out);
extern const DocumentOf<ProfileDecision> kProfileDocument;
// Writes CSV: a line for each kind of call.
void write_profile_csv(const ProfileDecision& decided, std::ostream& out);

}}  // namespace tutti::output
