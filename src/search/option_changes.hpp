// Changes of an algorithm's options at random.
#pragma once

#include "schedules/algorithm.hpp"
#include "src/search/family.hpp"

namespace tutti { inline namespace search {

// Returns the problem with another value of one option that the algorithm takes: one of the values
// that are worth trying, or a number near the present one. The algorithm may refuse the result.
[[nodiscard]] Problem changed_options(const Algorithm& algorithm, const Problem& problem,
                                      SearchRandom& random);

}}  // namespace tutti::search
