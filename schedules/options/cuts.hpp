// The rounding by which the vector is cut into blocks, halves, segments and phases. Each MPI
// library rounds in its own way, so messages of the same algorithm differ by a few elements
// whenever a division leaves a remainder.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Cuts : std::uint8_t {
  // Rounds as BlockLayout::even() does: the first blocks are one element longer.
  even,
  // The rounding of Open MPI's coll/base. A segment size of 0 leaves the vector uncut. With this
  // value, segmented trees also post receives, send and combine in Open MPI's order
  // (segmented_reduction.hpp, bcast/pipeline, bcast/split_binary_tree).
  open_mpi,
  // The rounding of MPICH.
  mpich,
};
inline constexpr std::array<std::string_view, 3> kCutsNames{"even", "open_mpi", "mpich"};

[[nodiscard]] constexpr std::string_view name(Cuts cuts) {
  return kCutsNames[static_cast<std::size_t>(cuts)];
}

}}  // namespace tutti::schedules
