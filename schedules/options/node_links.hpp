// The GPUs of a node that exchange messages with other nodes in NCCL's trees. In each node, the
// GPUs are a chain, which begins with a GPU that has a card.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class NodeLinks : std::uint8_t {
  // The first GPU of the chain exchanges messages with the parent and with both children.
  plain,
  // The first GPU exchanges messages with the parent and the second child, and the second GPU with
  // the first child.
  balanced,
  // The first GPU exchanges messages with the parent, and the second GPU with both children.
  split,
};
inline constexpr std::array<std::string_view, 3> kNodeLinksNames{"plain", "balanced", "split"};

}}  // namespace tutti::schedules
