// Computes children(n,tree), once for all ranks for each tree that a program names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedules/notation/program/code.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules::program {

class TreeChildren {
 public:
  explicit TreeChildren(const Problem& problem) : problem_(problem) {}

  // True if the tree was used before.
  [[nodiscard]] bool knows(std::size_t tree) const { return trees_[tree].has_value(); }
  // Returns the children of `rank` in the order in which they are served. `tree` is an index of
  // kTreeNames, or kOptionTree if refuse_pipeline() accepts the problem.
  [[nodiscard]] std::span<const Rank> of(Rank rank, std::size_t tree);

 private:
  struct Children {
    std::vector<std::uint32_t> first;  // by rank: position in `ranks`
    std::vector<std::uint32_t> count;
    std::vector<Rank> ranks;
  };
  const Children& children_in(std::size_t tree);

  const Problem& problem_;
  std::array<std::optional<Children>, kTreeNames.size() + 1> trees_;  // the last: that of --tree
};

}  // namespace tutti::inline schedules::program
