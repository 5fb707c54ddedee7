// tutti decide --library: rules for all that a library lets a site decide.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// options.library is said. Throws UserError; returns the exit code.
[[nodiscard]] int decide_site(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
