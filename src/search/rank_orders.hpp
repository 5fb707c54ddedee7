// Orders of the ranks of a machine along its network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/search/family.hpp"

namespace tutti { inline namespace search {

// An order of the ranks: ranks[i] is the rank that does what an algorithm lets its rank i do.
struct RankOrder {
  std::string name;  // "by number"
  std::vector<Rank> ranks;
};

// Returns different orders that suit networks of many kinds: by number; by number with a stride;
// with the bits of the numbers reversed; to and fro through the rows of a torus; along two cycles
// of a torus that share no link; and a tour on which each rank follows the nearest one that is
// left.
[[nodiscard]] std::vector<RankOrder> rank_orders(const Goal& goal);

// Returns two orders along cycles of neighbours in a torus that have no link in common; nothing if
// the platform is not a torus, or if its sides do not allow such cycles.
[[nodiscard]] std::vector<RankOrder> disjoint_tours(const Goal& goal);

// Returns the order with a change at random: two ranks, or two runs of 2^k ranks, change places,
// or a run is turned round or moved.
[[nodiscard]] RankOrder changed(const RankOrder& order, SearchRandom& random);

}}  // namespace tutti::search
