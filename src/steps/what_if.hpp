// The time of a step with one change at a time.
#pragma once

#include "src/steps/answer.hpp"

namespace tutti { inline namespace steps {

// Simulates the changes of each row and each group of the answer, whose choices must have been made
// with their next algorithms. A changed step runs with the answer's algorithms, but for the
// change's.
[[nodiscard]] StepChanges changes_of(const StepAnswer& answer);

}}  // namespace tutti::steps
