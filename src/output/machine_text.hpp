// The machine of a run for people: platform, engine, ports and prices.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

// "  key                 text", as all fields of a result stand.
void print_result_field(std::ostream& out, std::string_view key, std::string_view text);

[[nodiscard]] std::string platform_in_words(const RunResult& result);
// `platform` and `symmetry` in place of the result's own words.
void print_machine(const RunResult& result, const std::string& platform,
                   const std::string& symmetry, std::ostream& out);
// The same in a few lines, which name what was asked for and what is not usual.
void print_machine_briefly(const RunResult& result, const std::string& platform, std::ostream& out);

}  // namespace tutti::inline output
