#include "cost_models/bounds/twin_hosts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace tutti { inline namespace cost_models {

namespace {

// A way from a host to a junction or back, which only this host uses.
struct PrivateWay {
  bool sends = false;
  std::uint32_t junction = 0;
  std::vector<double> capacities;
  // In the order from the host to the junction; the same for all twins.
  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> vertices;

  friend bool operator<(const PrivateWay& a, const PrivateWay& b) {
    return std::tie(a.sends, a.junction, a.capacities) <
           std::tie(b.sends, b.junction, b.capacities);
  }
};

// Everything by which hosts are compared.
using Attachment = std::vector<std::pair<std::pair<bool, std::uint32_t>, std::vector<double>>>;

class WayFinder {
 public:
  explicit WayFinder(const FlowGraph& graph) : graph_(graph) {}

  // Returns all ways of a host; nothing if the host shares one of its links, or forwards messages
  // of other hosts on it.
  std::optional<std::vector<PrivateWay>> ways_of(std::uint32_t host) const {
    std::vector<PrivateWay> ways;
    for (const bool sends : {true, false}) {
      PrivateWay begun;
      begun.sends = sends;
      if (!follow(host, std::move(begun), ways)) {
        return std::nullopt;
      }
    }
    std::stable_sort(ways.begin(), ways.end());
    return ways;
  }

 private:
  [[nodiscard]] std::uint32_t near(const FlowEdge& edge, bool sends) const {
    return sends ? edge.from : edge.to;
  }
  [[nodiscard]] std::uint32_t far(const FlowEdge& edge, bool sends) const {
    return sends ? edge.to : edge.from;
  }
  [[nodiscard]] std::size_t degree(std::uint32_t vertex, bool sends) const {
    std::size_t count = 0;
    for (const std::uint32_t id : graph_.edges_at(vertex)) {
      count += near(graph_.edges()[id], sends) == vertex ? 1U : 0U;
    }
    return count;
  }

  bool follow(std::uint32_t vertex, PrivateWay begun, std::vector<PrivateWay>& ways) const {
    for (const std::uint32_t id : graph_.edges_at(vertex)) {
      const FlowEdge& edge = graph_.edges()[id];
      if (near(edge, begun.sends) != vertex) {
        continue;
      }
      const std::uint32_t next = far(edge, begun.sends);
      PrivateWay way = begun;
      way.edges.push_back(id);
      way.capacities.push_back(edge.capacity_bytes_per_s);
      const bool over_link =
          !begun.edges.empty() && graph_.edges()[begun.edges.back()].kind == FlowEdge::Kind::link;
      if (over_link) {
        // The edge from the far end of the first link to a junction.
        if (next < graph_.hosts().size()) {
          return false;
        }
        way.junction = next;
        ways.push_back(std::move(way));
        continue;
      }
      if (next < graph_.hosts().size() || degree(next, !begun.sends) != 1 ||
          (edge.kind == FlowEdge::Kind::link && degree(next, begun.sends) != 1)) {
        return false;
      }
      way.vertices.push_back(next);
      if (!follow(next, std::move(way), ways)) {
        return false;
      }
    }
    return true;
  }

  const FlowGraph& graph_;
};

}  // namespace

TwinHosts::TwinHosts(const FlowGraph& graph, bool any)
    : first_of_host(graph.hosts().size()), vertex(graph.vertices()), edge(graph.edges().size()) {
  std::iota(first_of_host.begin(), first_of_host.end(), 0);
  std::iota(vertex.begin(), vertex.end(), 0);
  std::iota(edge.begin(), edge.end(), 0);
  if (!any) {
    return;
  }
  const WayFinder finder(graph);
  std::map<Attachment, std::pair<std::uint32_t, std::vector<PrivateWay>>> known;
  for (std::uint32_t host = 0; host < first_of_host.size(); ++host) {
    std::optional<std::vector<PrivateWay>> ways = finder.ways_of(host);
    if (!ways) {
      continue;
    }
    Attachment attachment;
    for (const PrivateWay& way : *ways) {
      attachment.push_back({{way.sends, way.junction}, way.capacities});
    }
    const auto found = known.find(attachment);
    if (found == known.end()) {
      known.emplace(std::move(attachment), std::pair(host, *std::move(ways)));
      continue;
    }
    const auto& [first, first_ways] = found->second;
    first_of_host[host] = first;
    vertex[host] = first;
    for (std::size_t i = 0; i < ways->size(); ++i) {
      for (std::size_t j = 0; j < (*ways)[i].edges.size(); ++j) {
        edge[(*ways)[i].edges[j]] = first_ways[i].edges[j];
      }
      for (std::size_t j = 0; j < (*ways)[i].vertices.size(); ++j) {
        vertex[(*ways)[i].vertices[j]] = first_ways[i].vertices[j];
      }
    }
  }
}

}}  // namespace tutti::cost_models
