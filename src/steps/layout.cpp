#include "src/steps/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tutti { inline namespace steps {

StepGroup group_of(std::string name, const std::vector<LayoutAxis>& layout,
                   const std::vector<AxisPart>& parts) {
  std::uint32_t ranks = 1;
  for (const LayoutAxis& axis : layout) {
    ranks *= axis.size;
  }
  std::uint32_t size = 1;
  std::vector<std::uint32_t> positions(layout.size(), 1);  // of each axis that the group joins
  for (const AxisPart& part : parts) {
    positions[part.axis] = part.size;
    size *= part.size;
  }
  StepGroup group;
  group.name = std::move(name);
  std::vector<std::uint32_t> of_first(ranks, ranks);  // the communicator of a first member
  for (Rank rank = 0; rank < ranks; ++rank) {
    // The first member has the first of the joined positions in each axis.
    Rank first = rank;
    std::uint32_t stride = 1;
    for (std::size_t axis = 0; axis < layout.size(); ++axis) {
      const std::uint32_t position = rank / stride % layout[axis].size;
      first -= position % positions[axis] * stride;
      stride *= layout[axis].size;
    }
    if (of_first[first] == ranks) {
      of_first[first] = static_cast<std::uint32_t>(group.members.size());
      group.members.emplace_back().reserve(size);
    }
    group.members[of_first[first]].push_back(rank);
  }
  return group;
}

std::vector<std::uint32_t> positions_on(const std::vector<LayoutAxis>& layout, std::size_t axis) {
  std::uint32_t ranks = 1;
  std::uint32_t stride = 1;
  for (std::size_t each = 0; each < layout.size(); ++each) {
    ranks *= layout[each].size;
    stride *= each < axis ? layout[each].size : 1;
  }
  std::vector<std::uint32_t> positions(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    positions[rank] = rank / stride % layout[axis].size;
  }
  return positions;
}

std::string ranks_in_words(const std::vector<Rank>& members) {
  constexpr std::size_t kShown = 4;
  if (members.size() == 1) {
    return fmt::format("rank {}", members.front());
  }
  bool even = true;
  const Rank step = members[1] - members[0];
  for (std::size_t i = 1; i < members.size(); ++i) {
    even = even && members[i] - members[i - 1] == step;
  }
  if (even && step == 1) {
    return fmt::format("ranks {} to {}", members.front(), members.back());
  }
  if (members.size() <= kShown) {
    return fmt::format("ranks {}", fmt::join(members, ", "));
  }
  const std::size_t shown = even ? 2 : kShown - 1;
  return fmt::format("ranks {}, ..., {}",
                     fmt::join(members.begin(), members.begin() + static_cast<long>(shown), ", "),
                     members.back());
}

}}  // namespace tutti::steps
