// tutti decide --profile: rules for what a program calls.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// Gives the exit code. Throws UserError.
int decide_profile(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
