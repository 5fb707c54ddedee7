// All algorithms, from one explicit list: registry.def.
#pragma once

#include <span>
#include <string_view>

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules {

// All algorithms, in the order of registry.def. Algorithms of one collective are together.
[[nodiscard]] std::span<const Algorithm* const> algorithms();

// Finds an algorithm by its name without the collective: "ring". Null if there is none.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name);

// Finds an algorithm by its name: "ring" or "allreduce/ring". Throws UserError that suggests the
// nearest name, or lists all names.
[[nodiscard]] const Algorithm& algorithm_of(Collective collective, std::string_view name);

// Finds an algorithm by its full name: "allreduce/ring". Throws UserError that suggests the nearest
// name. For "ring" without a collective, the error suggests all algorithms of that name.
[[nodiscard]] const Algorithm& algorithm_named(std::string_view full_name);

}  // namespace tutti::inline schedules
