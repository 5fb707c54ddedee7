// tutti decide --library: writes all rules with which a site can configure a library.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// Returns the exit code. `options.library` must be set. Throws UserError.
[[nodiscard]] int decide_site(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
