// The result of a run for people.
#pragma once

#include <iosfwd>

#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

void print_result(const RunResult& result, std::ostream& out);

}  // namespace tutti::inline output
