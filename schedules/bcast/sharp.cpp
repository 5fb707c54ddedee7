// Multicast: the vector goes from the root up a tree of switches, and each switch forwards it to
// all neighbours except the one that sent it. The vector travels in segments, one after the other.
//
// Source: InfiniBand's multicast, with the aggregation trees of Graham et al., SHARP, COMHPC 2016,
// whose results go down in this way.
#include "schedules/patterns/sharp.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

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
    .idea =
        "the vector travels over a tree of switches, each of which multicasts it to all neighbours "
        "except the sender",
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

}}}  // namespace tutti::schedules::bcast
