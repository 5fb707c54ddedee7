// Texts that are almost what some reader wants.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace mutation {

using Random = std::mt19937_64;

// One of the inputs, with one to eight changes: bits and bytes, pieces that are cut out, doubled,
// moved, or come from another input, numbers that are out of all proportion.
[[nodiscard]] std::string mutated(const std::vector<std::string>& inputs, Random& random);

}  // namespace mutation
