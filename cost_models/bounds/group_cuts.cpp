#include "cost_models/bounds/group_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/rows.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// Returns the edges of all cuts, each once.
std::vector<std::uint32_t> edges_of_cuts(const std::vector<HostCut>& cuts) {
  std::vector<std::uint32_t> edges;
  for (const HostCut& cut : cuts) {
    edges.insert(edges.end(), cut.edges.begin(), cut.edges.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// Finds cuts around groups, in one direction. The cut of the first of several equal groups is found
// by a max-flow. The cuts of the others consist of edges between the same classes of vertices, so a
// walk from the hosts to these edges finds them.
class GroupCuts {
 public:
  GroupCuts(const FlowGraph& graph, const CutSearch& search, Direction direction, double most_work)
      : graph_(graph),
        search_(search),
        direction_(direction),
        most_work_(most_work),
        seen_by_(graph.vertices(), 0) {}

  HostCut around(std::span<const std::uint32_t> hosts) {
    std::vector<std::uint32_t> classes;
    for (const std::uint32_t host : hosts) {
      classes.push_back(search_.classes().class_of(host));
    }
    std::sort(classes.begin(), classes.end());
    const auto [at, is_new] = known_.try_emplace(std::move(classes));
    ClassCut& known = at->second;
    if (!is_new) {
      auto cut = walk(hosts, [&](std::uint32_t id) { return known.ends.contains(ends(id)); });
      if (cut && is_same(cut->capacity_bytes_per_s, known.capacity_bytes_per_s)) {
        return *std::move(cut);
      }
    }
    work_ += static_cast<double>(graph_.edges().size());
    if (work_ > most_work_) {
      const auto is_limited = [this](std::uint32_t id) {
        return std::isfinite(graph_.edges()[id].capacity_bytes_per_s);
      };
      if (auto cut = walk(hosts, is_limited)) {
        return *std::move(cut);
      }
    }
    const NetworkCut found = search_.narrowest(direction_, hosts);
    HostCut cut = of_hosts(hosts);
    cut.capacity_bytes_per_s = found.capacity_bytes_per_s;
    known = ClassCut();
    for (std::uint32_t id = 0; id < graph_.edges().size(); ++id) {
      if (found.inside[near(id)] && !found.inside[far(id)]) {
        cut.edges.push_back(id);
        known.ends.insert(ends(id));
      }
    }
    known.capacity_bytes_per_s = cut.capacity_bytes_per_s;
    return cut;
  }

 private:
  // The cut around a group of some classes of hosts.
  struct ClassCut {
    std::set<std::pair<std::uint32_t, std::uint32_t>> ends;  // classes at the ends of its edges
    double capacity_bytes_per_s = 0;
  };

  [[nodiscard]] std::uint32_t near(std::uint32_t id) const {
    const FlowEdge& edge = graph_.edges()[id];
    return direction_ == Direction::forward ? edge.from : edge.to;
  }
  [[nodiscard]] std::uint32_t far(std::uint32_t id) const {
    const FlowEdge& edge = graph_.edges()[id];
    return direction_ == Direction::forward ? edge.to : edge.from;
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends(std::uint32_t id) const {
    return {search_.classes().class_of(near(id)), search_.classes().class_of(far(id))};
  }
  [[nodiscard]] HostCut of_hosts(std::span<const std::uint32_t> hosts) const {
    return {{hosts.begin(), hosts.end()}, direction_ == Direction::forward, {}, 0};
  }

  // True if two capacities, both of which may be unlimited, differ by rounding at most.
  [[nodiscard]] static bool is_same(double one, double other) {
    return one == other || std::abs(one - other) <= 1e-12 * one;
  }

  // Returns the cut at the first edges for which stops(edge) is true; nothing if other edges lead
  // to a host outside.
  template <typename Stops>
  std::optional<HostCut> walk(std::span<const std::uint32_t> hosts, const Stops& stops) {
    ++walks_;
    HostCut cut = of_hosts(hosts);
    std::vector<std::uint32_t> edges;
    std::vector<std::uint32_t> reached(hosts.begin(), hosts.end());
    for (const std::uint32_t host : hosts) {
      seen_by_[host] = walks_;
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::uint32_t id : graph_.edges_at(reached[i])) {
        if (near(id) != reached[i]) {
          continue;
        }
        if (stops(id)) {
          edges.push_back(id);
        } else if (std::exchange(seen_by_[far(id)], walks_) != walks_) {
          if (far(id) < graph_.hosts().size()) {
            return std::nullopt;
          }
          reached.push_back(far(id));
        }
      }
    }
    for (const std::uint32_t id : edges) {
      if (seen_by_[far(id)] != walks_) {
        cut.edges.push_back(id);
        cut.capacity_bytes_per_s += graph_.edges()[id].capacity_bytes_per_s;
      }
    }
    std::sort(cut.edges.begin(), cut.edges.end());
    return cut;
  }

  const FlowGraph& graph_;
  const CutSearch& search_;
  Direction direction_;
  double most_work_;
  std::vector<std::uint32_t> seen_by_;  // by vertex: number of the last walk that reached it
  std::uint32_t walks_ = 0;
  std::map<std::vector<std::uint32_t>, ClassCut> known_;  // by the classes of the hosts
  double work_ = 0;
};

}  // namespace

HostGroups cuts_around_groups(const FlowGraph& graph, const CutSearch& search,
                              std::vector<std::uint32_t> group_of_host, std::uint32_t groups,
                              double most_work) {
  HostGroups partition;
  partition.groups = groups;
  partition.group_of_host = std::move(group_of_host);
  const Rows<std::uint32_t> members(groups, [&](const auto& add) {
    for (std::uint32_t host = 0; host < partition.group_of_host.size(); ++host) {
      add(partition.group_of_host[host], host);
    }
  });
  GroupCuts out(graph, search, Direction::forward, most_work);
  GroupCuts in(graph, search, Direction::backward, most_work);
  for (std::uint32_t group = 0; group < groups; ++group) {
    partition.out.push_back(out.around(members[group]));
    partition.in.push_back(in.around(members[group]));
  }
  return partition;
}

void collect_edges(HostGroups& partition) {
  partition.edges_out = edges_of_cuts(partition.out);
  partition.edges_in = edges_of_cuts(partition.in);
}

}}  // namespace tutti::cost_models
