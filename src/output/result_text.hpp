// Describes a run in words: its machine (platform, engine, ports and prices) and its result.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

void print_result(const RunResult& result, std::ostream& out);

// Prints `key` and `text` in two columns, aligned like all fields of a result.
void print_result_field(std::ostream& out, std::string_view key, std::string_view text);

[[nodiscard]] std::string platform_in_words(const RunResult& result);
// Prints the machine of `result`, with the texts `platform` and `symmetry` in the fields of these
// names. The caller describes the platform and the symmetry, because `result` may stand for several
// runs.
void print_machine(const RunResult& result, const std::string& platform,
                   const std::string& symmetry, std::ostream& out);
// Returns alpha, and with a message model to which messages it applies: "alpha 751 ns (an eager
// message ...)".
[[nodiscard]] std::string alpha_in_words(const Prices& prices, const Machine& machine);
// Prints the platform, prices and engine, and other properties only if they differ from their
// defaults.
void print_machine_briefly(const RunResult& result, const std::string& platform, std::ostream& out);

}}  // namespace tutti::output
