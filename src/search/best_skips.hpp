// The best skips of a circulant algorithm for a machine.
#pragma once

#include <cstddef>

#include "schedules/options/skips.hpp"
#include "src/simulation/case.hpp"

namespace tutti { inline namespace search {

// Tries all valid lists if there are at most kMostSkipLists, and otherwise the named schemes and
// variants of the best lists; the same case has the same result. Throws UserError if the routes of
// the machine are not known.
[[nodiscard]] Skips best_skips(const Case& one, std::size_t jobs);

}}  // namespace tutti::search
