// The trees of pipelined algorithms. schedules/patterns/segmented_tree.hpp defines the shape of
// each tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Tree : std::uint8_t {
  chain,
  binary,
  binomial,
  doubling,
  knomial,
  kary,
  knomial_1,
  knomial_2
};
// The names of the trees; the first tree is the default.
inline constexpr std::array<std::string_view, 8> kTreeNames{
    "chain", "binary", "binomial", "doubling", "knomial", "kary", "knomial_1", "knomial_2"};
// The first kCommonTrees trees are always tried. The others are trees of MPI libraries, with the
// libraries' names for them; they are tried only for a library, or if the user asks for them.
inline constexpr std::size_t kCommonTrees = 3;

[[nodiscard]] constexpr std::string_view name(Tree tree) {
  return kTreeNames[static_cast<std::size_t>(tree)];
}

// Finds a tree by its name. Throws UserError if the name is unknown.
[[nodiscard]] Tree tree_named(std::string_view text);

}}  // namespace tutti::schedules
