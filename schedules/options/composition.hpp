// How the stages of a hierarchy fit together, where libraries do it in ways of their own: which
// rank stands for its group, and how a root is served that does not. What each comes to:
// schedules/patterns/hierarchy.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class HierarchyForm : std::uint8_t {
  han,          // Open MPI's coll/han
  mpich_alpha,  // MPICH's MPIDI_..._intra_composition_alpha
  mpich_beta,   // and beta, which are its ..._intra_smp as well
};
inline constexpr std::array<std::string_view, 3> kHierarchyForms{"han", "mpich_alpha",
                                                                 "mpich_beta"};

[[nodiscard]] constexpr std::string_view name(HierarchyForm form) {
  return kHierarchyForms[static_cast<std::size_t>(form)];
}

}  // namespace tutti::inline schedules
