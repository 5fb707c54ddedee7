// Node-aware allreduce: the cores of each node sum up their vectors. In each phase a node then
// receives the sums of K - 1 other nodes at once, each at a different core, and its cores sum these
// up. Both among nodes and within a node, the census of schedules/patterns/census.hpp selects the
// partial sums, so there are ceil(log_K N) phases for any number of nodes N, with ceil(lg c) rounds
// within nodes of c cores before them and after each of them.
//
// Source: Bienz, Olson and Gropp, "Node-aware improvements to allreduce", ExaMPI 2019
// (NAPAllreduce), where N is a power of K = c, and one core is idle in each phase; here, each core
// can talk to another node (see schedules/patterns/nodes.hpp). Operators must commute.
#include <algorithm>
#include <map>
#include <utility>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/census.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/node_steps.hpp"
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

class NodeAllreduce {
 public:
  NodeAllreduce(const NodeShape& shape, std::uint32_t ranks)
      : nodes_(shape.nodes),
        between_(census_phases(nodes_.count(), radices_for(nodes_.count(), shape.between))),
        steps_(ranks) {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      const std::uint32_t size = nodes_.size(node);
      within_.try_emplace(size, census_phases(size, radices_for(size, shape.within)));
    }
    plan();
  }

  void emit(ScheduleBuilder& builder) const { steps_.emit(builder); }

 private:
  void plan();
  [[nodiscard]] bool sends_others_from(std::size_t first, std::uint32_t node,
                                       std::uint32_t core) const;
  std::vector<MaybePlace> exchange(const CensusPhase& phase, const std::vector<MaybePlace>& others);
  std::vector<MaybePlace> sums_within(const std::vector<MaybePlace>& own);

  const Nodes& nodes_;
  std::vector<CensusPhase> between_;
  std::map<std::uint32_t, std::vector<CensusPhase>> within_;  // by the number of cores
  NodeSteps steps_;
};

void NodeAllreduce::plan() {
  const std::uint32_t p = steps_.ranks();
  sums_within(std::vector<MaybePlace>(p, kWork));
  // All cores of a node have the sum with the vectors of their node in `work`; those that will send
  // the sum without these have it here.
  std::vector<MaybePlace> others(p);
  for (std::size_t at = 0; at < between_.size(); ++at) {
    const std::vector<MaybePlace> sums = sums_within(exchange(between_[at], others));
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      for (std::uint32_t core = 0; core < nodes_.size(node); ++core) {
        const Rank rank = nodes_.core_for(node, core);
        steps_.reduce(rank, *sums[rank], kWork);
        if (sends_others_from(at + 1, node, core)) {
          steps_.move_into(rank, *sums[rank], others[rank]);
        } else {
          steps_.release(rank, *sums[rank]);
        }
      }
    }
  }
}

// True if the core sends the sum without the vectors of its node in a phase from `first` on.
bool NodeAllreduce::sends_others_from(std::size_t first, std::uint32_t node,
                                      std::uint32_t core) const {
  for (std::size_t at = first; at < between_.size(); ++at) {
    for (std::size_t i = core; i < between_[at].size(); i += nodes_.size(node)) {
      if (!between_[at][i].with_own) {
        return true;
      }
    }
  }
  return false;
}

// Emits the messages of a phase between nodes. Returns the sums that ranks have received.
std::vector<MaybePlace> NodeAllreduce::exchange(const CensusPhase& phase,
                                                const std::vector<MaybePlace>& others) {
  steps_.next_phase();
  std::vector<std::pair<Rank, Place>> received;
  for (std::uint32_t i = 0; i < phase.size(); ++i) {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      const auto to =
          static_cast<std::uint32_t>((std::uint64_t{node} + phase[i].distance) % nodes_.count());
      const Rank src = nodes_.core_for(node, i);
      const Rank dst = nodes_.core_for(to, i);
      received.emplace_back(dst,
                            steps_.send(src, dst, phase[i].with_own ? kWork : *others[src], i));
    }
  }
  std::vector<MaybePlace> sums(steps_.ranks());
  for (const auto& [rank, place] : received) {
    steps_.move_into(rank, place, sums[rank]);
  }
  return sums;
}

// Sums up what the cores of each node have in the places `own`; some cores may have nothing.
// Returns the place of the sum at each core. A core's own place becomes that of its sum.
std::vector<MaybePlace> NodeAllreduce::sums_within(const std::vector<MaybePlace>& own) {
  std::vector<MaybePlace> sums = own;
  // The sums without the own contribution, of ranks that have one; for others, both are the same.
  std::vector<MaybePlace> others(own.size());
  std::vector<std::pair<Rank, Place>> received;
  std::size_t rounds = 0;
  for (const auto& [size, plan] : within_) {
    rounds = std::max(rounds, plan.size());
  }
  for (std::size_t at = 0; at < rounds; ++at) {
    steps_.next_phase();
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      const std::vector<CensusPhase>& plan = within_.at(nodes_.size(node));
      if (at >= plan.size()) {
        continue;
      }
      received.clear();
      for (std::uint32_t i = 0; i < plan[at].size(); ++i) {
        for (std::uint32_t core = 0; core < nodes_.size(node); ++core) {
          const Rank src = nodes_.core_for(node, core);
          const Rank dst = nodes_.core_for(node, core + plan[at][i].distance);
          const MaybePlace& from = plan[at][i].with_own || !own[src] ? sums[src] : others[src];
          if (from) {
            received.emplace_back(dst, steps_.send(src, dst, *from, i));
          }
        }
      }
      for (const auto& [rank, place] : received) {
        if (!own[rank]) {
          steps_.move_into(rank, place, sums[rank]);
          continue;
        }
        steps_.reduce(rank, place, *sums[rank]);
        if (schedules::sends_others_from(plan, at + 1)) {
          steps_.move_into(rank, place, others[rank]);
        } else {
          steps_.release(rank, place);
        }
      }
    }
  }
  for (Rank rank = 0; rank < own.size(); ++rank) {
    if (others[rank]) {
      steps_.release(rank, *others[rank]);
    }
  }
  return sums;
}

}  // namespace

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  NodeAllreduce(shape, builder.ranks()).emit(builder);
}

extern constinit const Algorithm node_aware = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::allreduce,
    .name = "node_aware",
    .idea = "the cores of a node exchange sums with different nodes, with an allreduce within each "
            "node before and after each phase",
    .source = "Bienz, Olson and Gropp, ExaMPI 2019",
    .cost = "",
    .layout = one_block,
    .same_as = [](const Problem& problem) -> std::string_view {
      return is_flat(problem) ? "census" : "";
    },
});

}}}  // namespace tutti::schedules::allreduce
