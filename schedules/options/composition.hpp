// The ways in which libraries compose the stages of a hierarchy: which rank represents its group,
// and how a root is served that does not represent its group. schedules/patterns/hierarchy.hpp
// describes each of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class HierarchyForm : std::uint8_t {
  han,          // Open MPI's coll/han
  mpich_alpha,  // MPICH's MPIDI_..._intra_composition_alpha
  mpich_beta,   // MPICH's ..._composition_beta, the same as its ..._intra_smp
};
inline constexpr std::array<std::string_view, 3> kHierarchyForms{"han", "mpich_alpha",
                                                                 "mpich_beta"};

[[nodiscard]] constexpr std::string_view name(HierarchyForm form) {
  return kHierarchyForms[static_cast<std::size_t>(form)];
}

}  // namespace tutti::inline schedules
