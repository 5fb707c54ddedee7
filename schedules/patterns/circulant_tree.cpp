#include "schedules/patterns/circulant_tree.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules {

CirculantTree::CirculantTree(const Problem& problem)
    : p_(problem.ranks),
      root_(problem.root),
      plan_(circulant_rounds(circulant_skips(problem.skips, problem.ranks), problem.ranks)),
      children_(problem.ranks) {
  for (const CirculantRound& round : plan_) {
    for_each_index(round, [&](std::uint32_t i) { children_[i - round.skip].push_back(i); });
  }
}

std::optional<double> CirculantTree::rounds_of_root() const {
  if (children_[0].size() != plan_.size()) {
    return std::nullopt;
  }
  return static_cast<double>(plan_.size());
}

void CirculantTree::subtree_blocks(std::uint32_t i, std::vector<BlockPair>& blocks) const {
  blocks.clear();
  std::vector<std::uint32_t> open{i};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    blocks.push_back({rank(node), rank(node)});
    open.insert(open.end(), children_[node].begin(), children_[node].end());
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const BlockPair& a, const BlockPair& b) { return a.from < b.from; });
}

}}  // namespace tutti::schedules
