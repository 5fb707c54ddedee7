// Whose arithmetic cuts the vector: into blocks, into halves, into segments and phases. MPI
// libraries round each in ways of their own, so that messages of the same algorithm differ by a few
// elements wherever the division leaves a rest.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class Cuts : std::uint8_t {
  even,  // block_layout.hpp's one rule: the first blocks are one element longer
  // Open MPI's coll/base; --segment 0 bytes: uncut. Its trees in segments also post receives, send
  // and combine in its order (segmented_reduction.hpp, bcast/pipeline, bcast/split_binary_tree).
  open_mpi,
  mpich,  // MPICH's
};
inline constexpr std::array<std::string_view, 3> kCutsNames{"even", "open_mpi", "mpich"};

[[nodiscard]] constexpr std::string_view name(Cuts cuts) {
  return kCutsNames[static_cast<std::size_t>(cuts)];
}

}  // namespace tutti::inline schedules
