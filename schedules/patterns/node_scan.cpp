#include "schedules/patterns/node_scan.hpp"

#include <algorithm>

#include "schedules/patterns/census.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/node_steps.hpp"

namespace tutti { inline namespace schedules {

namespace {

class NodeScan {
 public:
  NodeScan(const NodeShape& shape, std::uint32_t ranks, Own own)
      : nodes_(shape.nodes),
        between_(census_phases(nodes_.count(), radices_for(nodes_.count(), shape.between))),
        own_(own),
        steps_(ranks),
        before_in_node_(ranks),
        with_own_(ranks),
        before_node_(ranks) {
    scan_within();
    for (std::size_t at = 0; at < between_.size(); ++at) {
      exchange(between_[at], at + 1 < between_.size());
    }
    finish();
  }

  void emit(ScheduleBuilder& builder) const { steps_.emit(builder); }

 private:
  // Calls visit(node, core, core + distance) for pairs of cores within the nodes.
  template <typename Visit>
  void for_each_pair(std::uint32_t distance, std::uint32_t step, Visit&& visit) const {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      for (std::uint64_t core = 0; core + distance < nodes_.size(node); core += step) {
        const std::vector<Rank>& cores = nodes_.cores(node);
        visit(cores[core], cores[core + distance]);
      }
    }
  }

  void scan_within();
  void exchange(const CensusPhase& phase, bool another_follows);
  void sum_at_first(std::vector<MaybePlace>& sums);
  void finish();
  // Gives each core what core `from(node)` of its node has, if anything; cores count from there.
  template <typename From>
  void spread(std::vector<MaybePlace>& places, From&& from);

  const Nodes& nodes_;
  std::vector<CensusPhase> between_;
  Own own_;
  NodeSteps steps_;
  std::vector<MaybePlace> before_in_node_;  // exclusive scan only: the cores before the rank
  std::vector<MaybePlace> with_own_;        // nodes before that of the rank, and its node
  std::vector<MaybePlace> before_node_;     // these without its node
};

// The sum of a rank and of the ranks before it in its node is in `work`.
void NodeScan::scan_within() {
  for (std::uint32_t distance = 1; distance < nodes_.largest(); distance *= 2) {
    steps_.next_phase();
    std::vector<std::pair<Rank, Place>> received;
    for_each_pair(distance, 1, [&](Rank src, Rank dst) {
      received.emplace_back(dst, steps_.send(src, dst, kWork, 0));
    });
    for (const auto& [rank, place] : received) {
      steps_.reduce(rank, place, kWork);
      if (own_ == Own::left_out) {
        steps_.move_into(rank, place, before_in_node_[rank]);
      } else {
        steps_.release(rank, place);
      }
    }
  }
  if (nodes_.count() > 1) {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      with_own_[nodes_.cores(node).back()] = kWork;
    }
    spread(with_own_, [&](std::uint32_t node) { return nodes_.size(node) - 1; });
  }
}

// A phase between nodes. Messages of a node are shared out among its cores so that those of each
// core come from consecutive nodes.
void NodeScan::exchange(const CensusPhase& phase, bool another_follows) {
  const auto core_of = [&](std::uint32_t node, std::uint32_t message) {
    const auto messages = static_cast<std::uint32_t>(phase.size());
    const std::uint32_t each = (messages + nodes_.size(node) - 1) / nodes_.size(node);
    return nodes_.cores(node)[message / each];
  };
  steps_.next_phase();
  std::vector<std::pair<Rank, Place>> received;
  for (std::uint32_t i = 0; i < phase.size(); ++i) {
    for (std::uint32_t node = 0; node + std::uint64_t{phase[i].distance} < nodes_.count(); ++node) {
      const Rank src = core_of(node, i);
      const Rank dst = core_of(node + phase[i].distance, i);
      if (const MaybePlace& from = phase[i].with_own ? with_own_[src] : before_node_[src]) {
        received.emplace_back(dst, steps_.send(src, dst, *from, i));
      }
    }
  }
  std::vector<MaybePlace> sums(steps_.ranks());
  for (const auto& [rank, place] : received) {
    steps_.move_into(rank, place, sums[rank]);
  }
  sum_at_first(sums);
  spread(sums, [](std::uint32_t) { return 0U; });
  for (Rank rank = 0; rank < sums.size(); ++rank) {
    if (!sums[rank]) {
      continue;
    }
    // In an inclusive scan, `work` of a node's last core becomes the result in this way.
    if (another_follows || *with_own_[rank] == kWork) {
      steps_.reduce(rank, *sums[rank], *with_own_[rank]);
    }
    steps_.move_into(rank, *sums[rank], before_node_[rank]);
  }
}

// Combines the sums of the cores of each node, those of earlier nodes at higher cores, at its first
// core.
void NodeScan::sum_at_first(std::vector<MaybePlace>& sums) {
  for (std::uint32_t distance = 1; distance < nodes_.largest(); distance *= 2) {
    steps_.next_phase();
    std::vector<std::pair<Rank, Place>> received;
    for_each_pair(distance, 2 * distance, [&](Rank dst, Rank src) {
      if (sums[src]) {
        received.emplace_back(dst, steps_.send(src, dst, *sums[src], 0));
        steps_.release(src, *sums[src]);
        sums[src].reset();
      }
    });
    for (const auto& [rank, place] : received) {
      steps_.move_into(rank, place, sums[rank]);
    }
  }
}

template <typename From>
void NodeScan::spread(std::vector<MaybePlace>& places, From&& from) {
  for (std::uint32_t distance = 1; distance < nodes_.largest(); distance *= 2) {
    steps_.next_phase();
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      for (std::uint32_t core = 0; core < distance && core + distance < nodes_.size(node); ++core) {
        const Rank src = nodes_.core_for(node, from(node) + core);
        const Rank dst = nodes_.core_for(node, from(node) + core + distance);
        if (places[src]) {
          places[dst] = steps_.send(src, dst, *places[src], 0);
        }
      }
    }
  }
}

void NodeScan::finish() {
  for (Rank rank = 0; rank < steps_.ranks(); ++rank) {
    const MaybePlace& before = before_node_[rank];
    MaybePlace& in_node = before_in_node_[rank];
    if (own_ == Own::taken) {
      if (before && *with_own_[rank] != kWork) {
        steps_.reduce(rank, *before, kWork);
      }
      continue;
    }
    if (before) {
      steps_.move_into(rank, *before, in_node);
    }
    if (in_node) {
      steps_.copy(rank, *in_node, kWork);
    }
  }
}

}  // namespace

void emit_node_scan(const NodeShape& shape, ScheduleBuilder& builder, Own own) {
  NodeScan(shape, builder.ranks(), own).emit(builder);
}

std::optional<Sentence> refuse_scan_nodes(const Problem& problem) {
  if (auto reason = refuse_nodes(problem)) {
    return reason;
  }
  const Nodes nodes(problem);
  Rank next = 0;
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    for (const Rank rank : nodes.cores(node)) {
      if (rank != next++) {
        return sentence("$groups '{}': the ranks of a group must be consecutive",
                        to_text(problem.groups));
      }
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
