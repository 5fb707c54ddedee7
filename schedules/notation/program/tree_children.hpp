// Computes children(n,tree). The children of all ranks are computed once for each tree that a
// program names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedules/notation/program/code.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules { namespace program {

class TreeChildren {
 public:
  explicit TreeChildren(const Problem& problem) : problem_(problem) {}

  // True if the tree was used before.
  [[nodiscard]] bool knows(std::size_t tree) const { return trees_[tree].has_value(); }
  // Returns the children of `rank` in the order in which it communicates with them. `tree` is an
  // index of kTreeNames or, if refuse_pipeline() returns no reason against the problem,
  // kOptionTree.
  [[nodiscard]] std::span<const Rank> of(Rank rank, std::size_t tree);

 private:
  struct Children {
    // For each rank: the position in `ranks` of its first child.
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> count;
    std::vector<Rank> ranks;
  };
  const Children& children_in(std::size_t tree);

  const Problem& problem_;
  // For each tree: the children of all ranks. The last entry is for the tree that --tree selects.
  std::array<std::optional<Children>, kTreeNames.size() + 1> trees_;
};

}}}  // namespace tutti::schedules::program
