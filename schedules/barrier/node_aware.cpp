// Node-aware barrier: a dissemination barrier within each node, then, phase by phase, signals to K
// - 1 other nodes at once, each from a different core, and a dissemination of what they say within
// each node. It takes ceil(log_K N) phases for N nodes.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019, for any number of nodes as in the dissemination barrier of Hensgen,
// Finkel and Manber, 1988 (see schedules/patterns/nodes.hpp).
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/nodes.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

// The signals of a round: in each node whose cores are further apart than the distance, each core
// sends to the core at this distance.
template <typename Visit>
void for_each_signal_within(const Nodes& nodes, std::uint32_t distance, Visit&& visit) {
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    for (std::uint32_t core = 0; distance < nodes.size(node) && core < nodes.size(node); ++core) {
      visit(nodes.core_for(node, core), nodes.core_for(node, core + distance));
    }
  }
}

}  // namespace

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  const Nodes& nodes = shape.nodes;
  const std::uint32_t count = nodes.count();
  const auto within = hop_phases(nodes.largest(), radices_for(nodes.largest(), shape.within));
  const auto between = hop_phases(count, radices_for(count, shape.between));
  std::size_t signals_within = 0;
  for (const HopPhase& round : within) {
    for (std::uint32_t i = 1; i <= round.hops; ++i) {
      for_each_signal_within(nodes, i * round.distance, [&](Rank, Rank) { ++signals_within; });
    }
  }
  const std::size_t signals =
      std::size_t{hop_messages(between)} * count + (between.size() + 1) * signals_within;
  builder.reserve(signals, 4 * signals);
  Phases phases(builder,
                2 * std::size_t{std::max(nodes.per_core(most_hops(between)), most_hops(within))});
  const auto send = [&](Rank src, Rank dst, std::uint32_t i) {
    phases.comm(src, dst, {{0, 1}, kWork, {Buffer::scratch, i}}, i);
  };
  const auto spread_within = [&] {
    for (const HopPhase& round : within) {
      phases.next();
      for (std::uint32_t i = 0; i < round.hops; ++i) {
        for_each_signal_within(nodes, (i + 1) * round.distance,
                               [&](Rank src, Rank dst) { send(src, dst, i); });
      }
    }
  };
  spread_within();
  for (const HopPhase& phase : between) {
    phases.next();
    for (std::uint32_t i = 0; i < phase.hops; ++i) {
      for (std::uint32_t node = 0; node < count; ++node) {
        const auto to =
            static_cast<std::uint32_t>((node + (i + std::uint64_t{1}) * phase.distance) % count);
        send(nodes.core_for(node, i), nodes.core_for(to, i), i);
      }
    }
    spread_within();
  }
}

extern constinit const Algorithm node_aware = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::barrier,
    .name = "node_aware",
    .idea = "dissemination in which the cores of a node signal different nodes, with a "
            "dissemination within each node after each phase",
    .source = "Bienz, Olson and Gropp, ExaMPI 2019",
    .cost = "",
    .layout = one_block,
    .same_as = [](const Problem& problem) -> std::string_view {
      return is_flat(problem) ? "dissemination" : "";
    },
});

}}}  // namespace tutti::schedules::barrier
