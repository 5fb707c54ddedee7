// Makes small changes to valid inputs of a reader, so that the results are almost valid.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace mutation {

using Random = std::mt19937_64;

// Returns one of the inputs with one to eight changes: flipped bits and bytes, pieces that are cut
// out, duplicated, moved or taken from another input, and extreme numbers.
[[nodiscard]] std::string mutated(const std::vector<std::string>& inputs, Random& random);

}  // namespace mutation
