// SHARP allreduce: the vectors of all ranks go up a tree of switches, which combine them. The
// result goes down again, multicast by the switches. The vectors travel in segments, one after the
// other: this is a streaming aggregation tree.
//
// Source: Graham et al., COMHPC 2016; Graham et al., "Scalable Hierarchical Aggregation and
// Reduction Protocol (SHARP)TM Streaming-Aggregation Hardware Design and Evaluation", ISC 2020.
#include "schedules/patterns/sharp.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_sharp(
      problem, builder, [](const SwitchTree& tree) { return 2 * tree.links() + tree.ranks() - 1; },
      [](SwitchTreeMoves& segment) {
        segment.up(AtSwitches::reduce);
        segment.down();
      });
}

}  // namespace

extern const Algorithm sharp{
    .collective = Collective::allreduce,
    .name = "sharp",
    .idea =
        "the vector goes up a tree of switches, which reduce it, and down again, in segments; each "
        "link carries it once each way",
    .source = "Graham et al., SHARP, COMHPC 2016",
    .cost = kSharpCost,
    .keeps_order = SwitchTree::keeps_order,
    .order_kept = SwitchTree::kOrder,
    .options = kSharpOptions,
    .refusal = refuse_sharp,
    .limits = kSharpLimits,
    .layout = segment_layout,
    .exact_s = switch_tree_s,
    .emit = emit,
    .switches = SwitchTree::count,
};

}}}  // namespace tutti::schedules::allreduce
