// All algorithms; registry.def lists them.
#pragma once

#include <span>
#include <string_view>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

// Returns all algorithms in the order of registry.def, where the algorithms of a collective are
// adjacent.
[[nodiscard]] std::span<const Algorithm* const> algorithms();

// Finds an algorithm by its name without the collective: "ring". Null if there is none.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name);

// Finds an algorithm by its name: "ring" or "allreduce/ring". Throws UserError that suggests the
// nearest name, or lists all names.
[[nodiscard]] const Algorithm& algorithm_of(Collective collective, std::string_view name);

// Finds an algorithm by its full name: "allreduce/ring". Throws UserError that suggests the nearest
// name. For "ring" without a collective, the error suggests all algorithms of that name.
[[nodiscard]] const Algorithm& algorithm_named(std::string_view full_name);

}}  // namespace tutti::schedules
