// The ways in which libraries compose the stages of a hierarchy. They differ in which rank
// represents its group, and in how data reach a root that does not represent its group.
// schedules/patterns/hierarchy.hpp describes each way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class HierarchyForm : std::uint8_t {
  // Open MPI's coll/han.
  han,
  // MPICH's MPIDI_..._intra_composition_alpha.
  mpich_alpha,
  // MPICH's MPIDI_..._intra_composition_beta, which does the same as MPICH's ..._intra_smp.
  mpich_beta,
};
inline constexpr std::array<std::string_view, 3> kHierarchyForms{"han", "mpich_alpha",
                                                                 "mpich_beta"};

[[nodiscard]] constexpr std::string_view name(HierarchyForm form) {
  return kHierarchyForms[static_cast<std::size_t>(form)];
}

}}  // namespace tutti::schedules
