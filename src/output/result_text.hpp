// Text output of the result of a run.
#pragma once

#include <iosfwd>

#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

void print_result(const RunResult& result, std::ostream& out);

}  // namespace tutti::inline output
