// The SHARP collectives share these definitions: the options --segment and --groups, and segments
// that travel over a tree of switches one after the other.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "schedules/options/option.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/patterns/switch_tree.hpp"

namespace tutti { inline namespace schedules {

inline constexpr unsigned kSharpOptions = bit(Option::segment) | bit(Option::groups);
inline constexpr std::array<std::string_view, 5> kSharpLimits{
    SwitchTree::kLimits[0], SwitchTree::kLimits[1], SwitchTree::kLimits[2],
    "more segments than can be numbered", "a $segment larger than the vector"};
inline constexpr std::string_view kSharpCost =
    "(S + 2L - 1)(alpha/2 + n/S beta), with S segments, the last of which may be shorter, and L "
    "levels of switches";

[[nodiscard]] inline std::optional<Sentence> refuse_sharp(const Problem& problem) {
  if (auto reason = SwitchTree::refusal(problem)) {
    return reason;
  }
  return refuse_segments(problem, 1);
}

// Calls move(moves) for each segment. A segment needs `ops(tree)` operations. With one rank there
// is nothing to do.
template <typename Ops, typename Move>
void emit_sharp(const Problem& problem, ScheduleBuilder& builder, Ops&& ops, Move&& move) {
  if (problem.ranks == 1) {
    return;
  }
  const SwitchTree tree(problem);
  const std::size_t of_each = ops(tree);
  const std::size_t segments = builder.blocks();
  builder.reserve(segments * of_each, segments * 2 * of_each);
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    SwitchTreeMoves moves(builder, tree, {segment, 1}, segment);
    move(moves);
  }
}

}}  // namespace tutti::schedules
