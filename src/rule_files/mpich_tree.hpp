// MPICH's built-in selection tree. A file replaces all of it, so whoever writes one must write
// something for every collective. Facts of maint/tuning/coll/mpir/generic.json at v4.0.2; at v4.3.2
// only the barrier is another.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>

namespace tutti::inline rule_files {

// Every collective that MPICH looks up, blocking or not.
[[nodiscard]] std::span<const std::string_view> mpich_collectives();

// What stands under "collective=NAME" in the built-in tree of a release (403: 4.3).
[[nodiscard]] nlohmann::ordered_json mpich_built_in(std::string_view collective, int release);
// What it has for inter-communicators; null where it makes no difference between the two.
[[nodiscard]] nlohmann::ordered_json mpich_inter(std::string_view collective);

// {"algorithm=NAME": {}}
[[nodiscard]] nlohmann::ordered_json mpich_leaf(const std::string& algorithm);

}  // namespace tutti::inline rule_files
