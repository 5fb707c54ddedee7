// Options that several commands have.
#pragma once

#include <string>

#include "src/commands/command.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

// Help of --sure for commands that choose an algorithm for each cell.
inline constexpr const char* kSureHelp =
    "List the cells where the choice is uncertain, and the algorithms that may be the best there. "
    "A "
    "choice is uncertain if the probability that it takes at most 10 % more time than the fastest "
    "algorithm is below this";

// The option --json alone.
using JsonPath = std::optional<std::string>;
// Adds the option --json, which writes `what` as JSON.
void add_json_option(Command& command, JsonPath& json, const char* what);

// Adds the options that keep results in a database. The streams say what runs the cells of sweeps.
void add_sweep_options(Command& command, SweepOptions& sweep, Streams streams);

// Adds --shard.
void add_shard_option(const OptionGroup& group, std::optional<Shard>& shard);

}}  // namespace tutti::commands
