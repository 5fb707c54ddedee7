#include "schedules/patterns/nodes.hpp"

#include <algorithm>
#include <utility>

#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/kary_hypercube.hpp"

namespace tutti { inline namespace schedules {

namespace {

std::vector<std::vector<Rank>> cores_of(const Problem& problem) {
  std::vector<std::vector<Rank>> cores;
  std::size_t with_root = 0;
  const GroupTree tree(problem, Leaders::first);
  for (const GroupTree::Group& group : tree.levels().front()) {
    cores.push_back(group.members);
    if (has_root(problem.collective) && group.root) {
      std::rotate(cores.back().begin(), cores.back().begin() + *group.root, cores.back().end());
      with_root = cores.size() - 1;
    }
  }
  std::rotate(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(with_root), cores.end());
  return cores;
}

}  // namespace

Nodes::Nodes(const Problem& problem) : Nodes(cores_of(problem)) {}

Nodes::Nodes(std::vector<std::vector<Rank>> cores) : cores_(std::move(cores)) {
  const auto [least, most] = std::minmax_element(
      cores_.begin(), cores_.end(),
      [](const std::vector<Rank>& a, const std::vector<Rank>& b) { return a.size() < b.size(); });
  smallest_ = static_cast<std::uint32_t>(least->size());
  largest_ = static_cast<std::uint32_t>(most->size());
}

NodeShape node_shape(const Problem& problem) {
  return {Nodes(problem), {kNodeRadix.of(problem)}, {2}};
}

std::uint32_t node_radix(const Problem& problem) {
  if (GroupTree::refusal(problem)) {
    return 2;
  }
  const Nodes nodes(problem);
  if (nodes.largest() == 1) {
    return 2;
  }
  std::uint32_t best = 2;
  std::pair<std::uint32_t, std::size_t> least{~0U, 0};
  for (std::uint32_t per_core = 1; per_core <= 4; ++per_core) {
    const std::uint32_t radix = nodes.smallest() * per_core + 1;
    const std::vector<HopPhase> phases = hop_phases(nodes.count(), radix);
    std::pair<std::uint32_t, std::size_t> cost{0, phases.size()};
    for (const HopPhase& phase : phases) {
      cost.first += nodes.per_core(phase.hops);
    }
    if (cost < least) {
      least = cost;
      best = radix;
    }
  }
  return best;
}

bool is_flat(const Problem& problem) {
  if (problem.radix != 0 || refuse_nodes(problem)) {
    return false;
  }
  const Nodes nodes(problem);
  return nodes.count() == 1 || nodes.largest() == 1;
}

std::optional<Sentence> refuse_nodes(const Problem& problem) {
  if (auto groups = GroupTree::refusal(problem)) {
    return groups;
  }
  if (problem.groups.levels.size() > 1) {
    return sentence("$groups '{}': a node-aware algorithm takes only one level of groups",
                    to_text(problem.groups));
  }
  return refuse_radix_1(problem);
}

}}  // namespace tutti::schedules
