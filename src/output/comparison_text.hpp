// Many runs side by side, for people.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

enum class Details : std::uint8_t { few, all };

// Who is best where, by how much and why; with all details, or where there is one cell, also what
// every algorithm takes. Of a single algorithm: its times over sizes.
void print_comparison(const Comparison& comparison, const WinnerMap& winners, Details details,
                      std::ostream& out);

}  // namespace tutti::inline output
