// The trees of pipelined algorithms. What each is: schedules/patterns/segmented_tree.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

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
// The first is the default.
inline constexpr std::array<std::string_view, 8> kTreeNames{
    "chain", "binary", "binomial", "doubling", "knomial", "kary", "knomial_1", "knomial_2"};
// The others are what MPI libraries have under names of their own: they are looked at where a
// library is spoken of, or where they are asked for.
inline constexpr std::size_t kCommonTrees = 3;

[[nodiscard]] constexpr std::string_view name(Tree tree) {
  return kTreeNames[static_cast<std::size_t>(tree)];
}

// Throws UserError for another name.
[[nodiscard]] Tree tree_named(std::string_view text);

}  // namespace tutti::inline schedules
