// Multicast: the vector goes up a tree of switches from the root, and each switch passes it on to
// all but whom it has it from. In segments, each behind the one before it.
//
// Source: InfiniBand's multicast, with the aggregation trees of Graham et al., SHARP, COMHPC 2016,
// whose results go down so.
#include "schedules/patterns/sharp.hpp"

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::bcast {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_sharp(
      problem, builder, [](const SwitchTree& tree) { return tree.links(); },
      [&problem](SwitchTreeMoves& segment) { segment.flood(problem.root); });
}

}  // namespace

extern const Algorithm sharp{
    .collective = Collective::bcast,
    .name = "sharp",
    .idea = "over a tree of switches, each of which multicasts to all but whom it has it from",
    .source = "InfiniBand multicast; Graham et al., SHARP, COMHPC 2016",
    .cost = kSharpCost,
    .options = kSharpOptions,
    .refusal = refuse_sharp,
    .limits = kSharpLimits,
    .layout = segment_layout,
    .exact_s = switch_tree_s,
    .emit = emit,
    .switches = SwitchTree::count,
};

}  // namespace tutti::inline schedules::bcast
