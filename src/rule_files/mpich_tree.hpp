// MPICH's built-in selection tree. A rule file replaces the whole tree, so it must have an entry
// for every collective. Source: maint/tuning/coll/mpir/generic.json at v4.0.2; at v4.3.2 only the
// barrier differs.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>

namespace tutti::inline rule_files {

// Returns the names of all collectives that MPICH looks up, blocking and nonblocking.
[[nodiscard]] std::span<const std::string_view> mpich_collectives();

// Returns the subtree under "collective=NAME" in the built-in tree of a release (403 is 4.3).
[[nodiscard]] nlohmann::ordered_json mpich_built_in(std::string_view collective, int release);
// Returns the subtree for inter-communicators; null if the tree does not distinguish them from
// intra-communicators.
[[nodiscard]] nlohmann::ordered_json mpich_inter(std::string_view collective);

// Returns a leaf: {"algorithm=NAME": {}}.
[[nodiscard]] nlohmann::ordered_json mpich_leaf(const std::string& algorithm);

}  // namespace tutti::inline rule_files
