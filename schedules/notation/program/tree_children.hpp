// children(n,tree): of each tree that a program names, found once for all ranks.
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

  // Whether it was asked for before.
  [[nodiscard]] bool knows(std::size_t tree) const { return trees_[tree].has_value(); }
  // In the order in which they are served. `tree`: a number of kTreeNames, or kOptionTree, which
  // refuse_pipeline() has nothing against.
  [[nodiscard]] std::span<const Rank> of(Rank rank, std::size_t tree);

 private:
  struct Children {
    std::vector<std::uint32_t> first;  // by rank, into `ranks`
    std::vector<std::uint32_t> count;
    std::vector<Rank> ranks;
  };
  const Children& children_in(std::size_t tree);

  const Problem& problem_;
  std::array<std::optional<Children>, kTreeNames.size() + 1> trees_;  // the last: --tree's
};

}  // namespace tutti::inline schedules::program
