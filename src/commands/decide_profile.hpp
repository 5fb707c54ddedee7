// tutti decide --profile: rules for the calls of a program.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// Returns the exit code. Throws UserError.
int decide_profile(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
