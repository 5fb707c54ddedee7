// SHARP reduce: the vectors of all ranks go up a tree of switches, which combine them. The result
// goes from the top switch down to the root only. The vectors travel in segments, one after the
// other.
//
// Source: Graham et al., COMHPC 2016; Graham et al., "Scalable Hierarchical Aggregation and
// Reduction Protocol (SHARP)TM Streaming-Aggregation Hardware Design and Evaluation", ISC 2020.
#include "schedules/patterns/sharp.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_sharp(
      problem, builder,
      [](const SwitchTree& tree) { return tree.links() + tree.ranks() - 1 + tree.levels(); },
      [&problem](SwitchTreeMoves& segment) {
        segment.up(AtSwitches::reduce);
        segment.down_to(problem.root);
      });
}

}  // namespace

extern const Algorithm sharp{
    .collective = Collective::reduce,
    .name = "sharp",
    .idea =
        "the vector goes up a tree of switches, which reduce it, then from the top switch down to "
        "the root, in segments",
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

}}}  // namespace tutti::schedules::reduce
