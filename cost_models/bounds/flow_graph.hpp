// The network between the hosts in use as a directed graph with capacities. Each message follows a
// path in this graph, and so does each byte that ranks forward. Every cut of the graph is therefore
// a limit for any schedule.
//
// The graph is built from routes only. A link is an edge between two vertices of its own. Links
// meet at junctions: if some route uses link f directly after link e, the end of e and the start of
// f are at the same junction. On the usual platforms, junctions are the switches. A junction may
// connect links that no route uses in succession. Such additional paths can only make a bound
// smaller, so it stays valid. A link that routes use in both directions is one edge. All bytes in
// both directions cross this edge.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/rows.hpp"
#include "cost_models/bounds/hosts_in_use.hpp"
#include "platforms/network.hpp"

namespace tutti { inline namespace cost_models {

// An edge of the graph.
struct FlowEdge {
  enum class Kind : std::uint8_t {
    link,      // `of` is the number of a link in the network
    send,      // the ports through which a host sends; `of` is the index of the host
    receive,   // the ports through which a host receives; `of` is the index of the host
    junction,  // connects two edges, without a limit
  };

  std::uint32_t from = 0;
  std::uint32_t to = 0;
  // Infinity for junctions, and for links that do not share their bandwidth (fat pipes).
  double capacity_bytes_per_s = std::numeric_limits<double>::infinity();
  Kind kind = Kind::junction;
  std::uint32_t of = 0;
};

class FlowGraph {
 public:
  // Builds the graph of the routes between the hosts, which must outlive the graph. Throws what
  // Network::route() throws if there is no route. If bytes take no time, nothing has a capacity.
  FlowGraph(Network& network, const HostsInUse& hosts);

  // Vertex i of the graph is the host with index i.
  [[nodiscard]] const HostsInUse& hosts() const { return *hosts_; }
  [[nodiscard]] std::uint32_t vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<FlowEdge>& edges() const { return edges_; }
  // Edges that begin or end at a vertex, as indices in edges().
  [[nodiscard]] std::span<const std::uint32_t> edges_at(std::uint32_t vertex) const {
    return edges_at_[vertex];
  }
  // Returns a copy with the limits of the ranks. With ports, a host sends at most that number of
  // messages for each of its ranks at a time, none of them faster than the fastest route from the
  // host.
  [[nodiscard]] FlowGraph with_ranks(const RankLimits& ranks) const;

  // Returns the capacity of all edges that leave the set, or that enter it. `inside` has an entry
  // for each vertex.
  [[nodiscard]] double capacity_out(const std::vector<bool>& inside) const;

 private:
  void index_edges();

  const HostsInUse* hosts_;
  std::vector<FlowEdge> edges_;
  std::uint32_t vertices_ = 0;
  Rows<std::uint32_t> edges_at_;  // by vertex
};

}}  // namespace tutti::cost_models
