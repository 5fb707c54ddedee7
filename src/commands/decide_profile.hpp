// tutti decide --profile: chooses algorithms for the collective calls that a program makes, and
// writes rules for these calls.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// Runs 'tutti decide --profile'; `options.profile` must be set. Returns the exit code. Throws
// UserError.
int decide_profile(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
