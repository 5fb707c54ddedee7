// tutti decide --library: writes a folder with all rules that a site needs to configure a library.
#pragma once

#include "src/commands/cli.hpp"
#include "src/commands/decide_request.hpp"

namespace tutti::inline commands {

// Runs 'tutti decide --library'; `options.library` must be set. Returns the exit code. Throws
// UserError.
[[nodiscard]] int decide_site(const DecideOptions& options, Streams streams);

}  // namespace tutti::inline commands
