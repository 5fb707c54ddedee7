// Lists of skips that are valid for circulant graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/search/family.hpp"

namespace tutti { inline namespace search {

// Returns all lists of skips for p ranks that circulant_skips() accepts: decreasing, below p, with
// 1 at the end, such that every i < p is a sum of different skips. Returns nothing if there are
// more than `most`. For p = 12 there are 359.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> valid_skips(std::uint32_t p,
                                                                  std::size_t most);
// For more ranks than have this many lists, not all of them are tried.
inline constexpr std::size_t kMostSkipLists = 2000;
// Returns a valid list with one skip added, removed or changed, or `skips` if 100 attempts fail.
[[nodiscard]] std::vector<std::uint32_t> changed_skips(const std::vector<std::uint32_t>& skips,
                                                       std::uint32_t p, SearchRandom& random);

}}  // namespace tutti::search
