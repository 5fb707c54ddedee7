// All algorithms, from one explicit list: registry.def.
#pragma once

#include <span>
#include <string_view>

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules {

// In the order of registry.def: by collective, then as users want to read them.
[[nodiscard]] std::span<const Algorithm* const> algorithms();

// "ring". Null where the collective has none of that name.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name);

// "ring", or "allreduce/ring". Throws UserError that suggests the nearest name, or says what there
// is.
[[nodiscard]] const Algorithm& algorithm_of(Collective collective, std::string_view name);

// "allreduce/ring". Throws UserError that suggests the nearest name; of "ring", all that are called
// so.
[[nodiscard]] const Algorithm& algorithm_named(std::string_view full_name);

}  // namespace tutti::inline schedules
