#include "sim/symmetry/symmetric_run.hpp"

#include <utility>

#include "sim/steady_rounds.hpp"
#include "sim/symmetry/quotient_network.hpp"

namespace tutti { inline namespace sim {

std::optional<SymmetricRun> run_symmetric(const SymmetricSchedule& schedule, Network& network,
                                          const FlowSetup& flow_setup, const RunSetup& setup,
                                          std::span<const std::uint32_t> switch_of_rank) {
  auto classes = platform_classes(network, flow_setup.host_of_rank, schedule.ranks,
                                  schedule.symmetry, schedule.distances, switch_of_rank);
  if (!classes) {
    return std::nullopt;
  }
  // Ranks that are equivalent depend on each other, so that their rounds nearly always repeat.
  RoundCuts cuts(classes->ranks.count(), 0.25);
  bool all_rounds = !schedule.leaves_out_rounds;
  if (!all_rounds && schedule.rounds_need_others_alike) {
    classes->ranks.set_others_alike(others_alike(network, flow_setup.host_of_rank, *classes));
  }
  while (true) {
    RankPart part = schedule.part(classes->ranks, all_rounds ? kAllRounds : cuts.now());
    QuotientNetwork quotient(network, {flow_setup.host_of_rank, switch_of_rank}, *classes, part);
    FlowSetup of_classes = flow_setup;
    of_classes.host_of_rank = quotient.host_of_rank();
    FlowEngine engine(quotient, of_classes);
    Timeline timeline = engine.run(part.schedule, setup);
    if (timeline.waited) {
      return std::nullopt;
    }
    if (!add_left_out_rounds(part.schedule, timeline)) {
      cuts.advance(part.schedule);
      all_rounds = cuts.now() == kAllRounds;
      continue;
    }
    AloneTimes alone = alone_times(
        part.schedule, quotient, of_classes,
        [&](OpId id, const Op&) -> const RouteFigures& { return quotient.alone_figures(id); });
    return SymmetricRun{std::move(part), std::move(timeline), std::move(alone)};
  }
}

}}  // namespace tutti::sim
