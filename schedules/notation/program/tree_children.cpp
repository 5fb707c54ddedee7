#include "schedules/notation/program/tree_children.hpp"

#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules { namespace program {

std::span<const Rank> TreeChildren::of(Rank rank, std::size_t tree) {
  const Children& children = children_in(tree);
  return std::span(children.ranks).subspan(children.first[rank], children.count[rank]);
}

const TreeChildren::Children& TreeChildren::children_in(std::size_t tree) {
  std::optional<Children>& known = trees_[tree];
  if (!known) {
    Problem with_tree = problem_;
    if (tree != kOptionTree) {
      with_tree.tree = static_cast<Tree>(tree);
    }
    known.emplace();
    known->first.resize(problem_.ranks);
    known->count.resize(problem_.ranks);
    for (const RootedTree::Edge& edge : rooted_tree(with_tree).edges) {
      if (known->count[edge.parent]++ == 0) {
        known->first[edge.parent] = static_cast<std::uint32_t>(known->ranks.size());
      }
      known->ranks.push_back(edge.child);
    }
  }
  return *known;
}

}}}  // namespace tutti::schedules::program
