// The names of the trees of pipelined algorithms: the one list. What each is:
// segmented_tree.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tutti {

// The first is the default.
inline constexpr std::array<std::string_view, 5> kTreeNames{"chain", "binary", "binomial",
                                                            "doubling", "knomial"};
// The others are what MPI libraries have under names of their own: they are looked at where a
// library is spoken of, or where they are asked for.
inline constexpr std::size_t kCommonTrees = 3;

}  // namespace tutti
