// The layout of a step's ranks: axes such as tp, dp and pp, and the groups that follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace steps {

struct LayoutAxis {
  std::string name;
  std::uint32_t size = 1;
};

// Some consecutive positions of an axis: `size` must divide the size of the axis.
struct AxisPart {
  std::size_t axis = 0;
  std::uint32_t size = 1;
};

// Ranks that communicate with each other: a communicator for each of `members`, over these ranks in
// increasing order. Each rank is in one of them.
struct StepGroup {
  std::string name;
  std::vector<std::vector<Rank>> members;

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(members.front().size());
  }
};

// Returns the group of the ranks that differ only in the given parts of axes. In the number of a
// rank, the first axis changes fastest.
[[nodiscard]] StepGroup group_of(std::string name, const std::vector<LayoutAxis>& layout,
                                 const std::vector<AxisPart>& parts);

// Returns the position of each rank on an axis.
[[nodiscard]] std::vector<std::uint32_t> positions_on(const std::vector<LayoutAxis>& layout,
                                                      std::size_t axis);

// Returns the ranks of a communicator in words: "ranks 0 to 7", "ranks 0, 8, ..., 56", "rank 3".
[[nodiscard]] std::string ranks_in_words(const std::vector<Rank>& members);

}}  // namespace tutti::steps
