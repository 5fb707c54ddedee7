// Describes the machine of a run in words: platform, engine, ports and prices.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

// Prints "  key                 text", aligned like all fields of a result.
void print_result_field(std::ostream& out, std::string_view key, std::string_view text);

[[nodiscard]] std::string platform_in_words(const RunResult& result);
// Prints `platform` and `symmetry` instead of the result's own descriptions.
void print_machine(const RunResult& result, const std::string& platform,
                   const std::string& symmetry, std::ostream& out);
// Prints the platform, prices and engine, and only those other properties that are unusual.
void print_machine_briefly(const RunResult& result, const std::string& platform, std::ostream& out);

}  // namespace tutti::inline output
