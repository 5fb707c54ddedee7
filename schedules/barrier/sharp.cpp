// SHARP barrier: signals go up a tree of switches, each of which waits for all signals from below,
// and down again.
//
// Source: Graham et al., "Scalable Hierarchical Aggregation Protocol (SHARP)", COMHPC 2016.
#include <algorithm>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/switch_tree.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return SwitchTree(problem).levels() * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  if (problem.ranks == 1) {
    return;
  }
  const SwitchTree tree(problem);
  const std::vector<SwitchTree::Switch>& all = tree.switches();
  const auto meetings = std::count_if(
      all.begin(), all.end(), [](const SwitchTree::Switch& each) { return each.below.size() > 1; });
  builder.reserve(2 * tree.links() + static_cast<std::size_t>(meetings), 5 * tree.links());
  SwitchTreeMoves moves(builder, tree, {0, 1}, 0);
  moves.up(AtSwitches::meet);
  moves.down();
}

}  // namespace

extern const Algorithm sharp{
    .collective = Collective::barrier,
    .name = "sharp",
    .idea =
        "signals go up a tree of switches, each of which waits for all below it, and down again",
    .source = "Graham et al., SHARP, COMHPC 2016",
    .cost = "L alpha with L levels of switches",
    .options = bit(Option::groups),
    .refusal = SwitchTree::refusal,
    .limits = SwitchTree::kLimits,
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .switches = SwitchTree::count,
};

}}}  // namespace tutti::schedules::barrier
