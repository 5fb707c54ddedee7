#include "cost_models/bounds/length_search.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <utility>

namespace tutti { inline namespace cost_models {

namespace {

constexpr double kCloseEnough = 1.01;
constexpr double kStep = 0.2;
// Number of edges that all searches of shortest ways may look at.
constexpr double kMostWork = 4e6;
constexpr std::uint32_t kMostRounds = 400;

// Among ways of equal length, those over fewer edges are shorter. So the vertices at the start of
// an edge without a length are visited before the one at its end.
struct WayLength {
  double length = 0;
  std::uint32_t edges = 0;

  friend WayLength operator+(const WayLength& a, const WayLength& b) {
    return {a.length + b.length, a.edges + b.edges};
  }
  friend auto operator<=>(const WayLength&, const WayLength&) = default;
};

class ShortestPaths {
 public:
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;

  ShortestPaths(const std::vector<FlowEdge>& edges, std::uint32_t vertices)
      : edges_(edges),
        by_start_(sorted(edges, vertices, &FlowEdge::from)),
        by_end_(sorted(edges, vertices, &FlowEdge::to)),
        sorted_length_(edges.size()),
        before_(vertices),
        place_(vertices),
        length(edges.size(), 0),
        distance(vertices) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (const std::uint32_t i : by_start_.values()) {
      ends.emplace_back(edges_[i].from, edges_[i].to);
    }
    graph_ = Graph(boost::edges_are_sorted, ends.begin(), ends.end(), vertices);
  }

  // Finds the shortest ways from a host. Sets `distance` and `visited`.
  void search(std::uint32_t from) {
    for (std::size_t i = 0; i < sorted_length_.size(); ++i) {
      sorted_length_[i] = {length[by_start_.values()[i]], 1};
    }
    visited.clear();
    const auto index = boost::get(boost::edge_index, graph_);
    const auto vertex = boost::get(boost::vertex_index, graph_);
    boost::dijkstra_shortest_paths(
        graph_, from,
        boost::weight_map(boost::make_iterator_property_map(sorted_length_.begin(), index))
            .distance_map(boost::make_iterator_property_map(distance.begin(), vertex))
            .predecessor_map(boost::make_iterator_property_map(before_.begin(), vertex))
            .distance_compare(std::less<>())
            .distance_combine(std::plus<>())
            .distance_inf(WayLength{std::numeric_limits<double>::infinity(), 0})
            .distance_zero(WayLength{})
            .visitor(Visitor(*this)));
  }

  // Calls use(edge) for each edge that ends a shortest path to `vertex`. Leaves out edges from
  // vertices that were visited later: with rounding, they could form a cycle.
  template <typename Use>
  void for_each_last_edge(std::uint32_t vertex, Use&& use) const {
    for (const std::uint32_t edge : by_end_[vertex]) {
      const std::uint32_t start = edges_[edge].from;
      if (distance[start].length + length[edge] <= distance[vertex].length * (1 + 1e-12) &&
          place_[start] < place_[vertex]) {
        use(edge);
      }
    }
  }

 private:
  class Visitor : public boost::dijkstra_visitor<> {
   public:
    explicit Visitor(ShortestPaths& ways) : ways_(&ways) {}
    void examine_vertex(std::uint32_t vertex, const Graph& /*graph*/) const {
      ways_->place_[vertex] = static_cast<std::uint32_t>(ways_->visited.size());
      ways_->visited.push_back(vertex);
    }

   private:
    ShortestPaths* ways_;
  };

  // Returns the edges of each vertex: those that have it as this end.
  static Rows<std::uint32_t> sorted(const std::vector<FlowEdge>& edges, std::uint32_t vertices,
                                    std::uint32_t FlowEdge::*end) {
    return {vertices, [&](const auto& add) {
              for (std::uint32_t i = 0; i < edges.size(); ++i) {
                add(edges[i].*end, i);
              }
            }};
  }

  const std::vector<FlowEdge>& edges_;
  Rows<std::uint32_t> by_start_;
  Rows<std::uint32_t> by_end_;
  Graph graph_;
  std::vector<WayLength> sorted_length_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> place_;  // by vertex: its index in `visited`

 public:
  std::vector<double> length;          // by edge
  std::vector<WayLength> distance;     // by vertex
  std::vector<std::uint32_t> visited;  // vertices in the order of their distances
};

// The graph with one host in place of all its twins. The links of this host have the capacity of
// the links of all twins. If some lengths give a bound, their mean over all exchanges of twins
// gives at least the same bound, so lengths that are equal for twins are as good as any.
//
// Hosts have two vertices: messages begin at the first, which has the number of the host, and end
// at the second. So data between two twins go to a junction and back.
class MergedGraph {
 public:
  MergedGraph(const FlowGraph& graph, const TwinHosts& twins, const PieceRows& rows)
      : place_of_edge(graph.edges().size()), number_of_(graph.vertices(), kNone) {
    const std::uint32_t all_hosts = graph.hosts().size();
    for (std::uint32_t host = 0; host < all_hosts; ++host) {
      if (twins.first_of_host[host] == host) {
        (void)number(host);
      }
    }
    hosts = vertices;
    vertices += hosts;
    for (std::uint32_t i = 0; i < place_of_edge.size(); ++i) {
      FlowEdge edge = graph.edges()[i];
      if (twins.edge[i] != i) {
        continue;
      }
      edge.to =
          edge.to < all_hosts ? hosts + number(twins.first_of_host[edge.to]) : number(edge.to);
      edge.from = number(edge.from);
      place_of_edge[i] = static_cast<std::uint32_t>(edges.size());
      edges.push_back(edge);
    }
    for (std::uint32_t i = 0; i < place_of_edge.size(); ++i) {
      if (twins.edge[i] != i) {
        place_of_edge[i] = place_of_edge[twins.edge[i]];
        edges[place_of_edge[i]].capacity_bytes_per_s += graph.edges()[i].capacity_bytes_per_s;
      }
    }
    for (std::uint32_t host = 0; host < hosts; ++host) {
      FlowEdge& forwards = edges.emplace_back();
      forwards.from = hosts + host;
      forwards.to = host;
    }
    bytes_.assign(std::size_t{hosts} * hosts, 0);
    std::vector<std::uint32_t> host_of_row(rows.rows);
    for (std::uint32_t host = 0; host < all_hosts; ++host) {
      host_of_row[rows.row_of_host[host]] = number(twins.first_of_host[host]);
    }
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::uint32_t to = 0; to < all_hosts; ++to) {
        bytes_[std::size_t{host_of_row[row]} * hosts + number(twins.first_of_host[to])] +=
            rows.at(row, to);
      }
    }
  }

  [[nodiscard]] double bytes(std::uint32_t from, std::uint32_t to) const {
    return bytes_[std::size_t{from} * hosts + to];
  }

  std::uint32_t hosts = 0;  // messages to host i end at the vertex `hosts` + i
  std::uint32_t vertices = 0;
  std::vector<FlowEdge> edges;
  std::vector<std::uint32_t> place_of_edge;  // by edge of the whole graph: its index in `edges`

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // Returns the number here of a vertex of the whole graph.
  std::uint32_t number(std::uint32_t vertex) {
    if (number_of_[vertex] == kNone) {
      number_of_[vertex] = vertices++;
    }
    return number_of_[vertex];
  }

  std::vector<std::uint32_t> number_of_;
  std::vector<double> bytes_;
};

class PieceRouting {
 public:
  PieceRouting(const MergedGraph& graph, double unevenness, double at_least_s, double feasible_s)
      : graph_(graph),
        ways_(graph.edges, graph.vertices),
        unevenness_(unevenness),
        best_s_(at_least_s),
        load_s_(graph.edges.size(), 0),
        total_load_s_(graph.edges.size(), 0),
        through_(graph.vertices) {
    found_.feasible_s = feasible_s;
    for (std::uint32_t from = 0; from < graph.hosts; ++from) {
      for (std::uint32_t to = 0; to < graph.hosts; ++to) {
        if (graph.bytes(from, to) > 0) {
          sources_.push_back(from);
          break;
        }
      }
    }
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      const double capacity = graph.edges[i].capacity_bytes_per_s;
      ways_.length[i] = std::isfinite(capacity) ? 1 / capacity : 0;
    }
  }

  LengthSearch run(std::uint32_t rounds) {
    // At first, links of more capacity are shorter.
    for (std::uint32_t round = 1; round <= rounds && !done(); ++round) {
      send_all();
      for (std::size_t i = 0; i < load_s_.size(); ++i) {
        total_load_s_[i] += load_s_[i];
      }
      const double busiest_s = *std::max_element(load_s_.begin(), load_s_.end());
      const double mean_s = *std::max_element(total_load_s_.begin(), total_load_s_.end()) / round;
      // The links of twins carry the same only if all pieces are equal, such as the largest.
      found_.feasible_s = std::min(found_.feasible_s, unevenness_ * std::min(busiest_s, mean_s));
      lengthen();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool done() const { return found_.feasible_s <= best_s_ * kCloseEnough; }

  // Sends all data once, split evenly over the shortest ways, and takes the lengths if they are the
  // best so far. The mean over all rounds is a feasible way to send the data.
  void send_all() {
    EdgeLengths lengths;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      if (ways_.length[i] > 0) {
        lengths.weighted_bytes_per_s += graph_.edges[i].capacity_bytes_per_s * ways_.length[i];
      }
    }
    std::fill(load_s_.begin(), load_s_.end(), 0.0);
    for (const std::uint32_t from : sources_) {
      ways_.search(from);
      std::fill(through_.begin(), through_.end(), 0.0);
      for (std::uint32_t to = 0; to < graph_.hosts; ++to) {
        const double bytes = graph_.bytes(from, to);
        if (bytes > 0) {
          lengths.weighted_bytes += bytes * ways_.distance[graph_.hosts + to].length;
          through_[graph_.hosts + to] += bytes;
        }
      }
      for (auto vertex = ways_.visited.rbegin(); vertex != ways_.visited.rend(); ++vertex) {
        if (through_[*vertex] > 0) {
          spread(*vertex);
        }
      }
    }
    if (lengths.weighted_bytes_per_s > 0 && lengths.seconds() > best_s_) {
      lengths.of_edge = ways_.length;
      best_s_ = lengths.seconds();
      found_.best = std::move(lengths);
    }
  }

  // Spreads the bytes that come to a vertex over the last edges of the ways to it.
  void spread(std::uint32_t vertex) {
    std::uint32_t ways = 0;
    ways_.for_each_last_edge(vertex, [&](std::uint32_t) { ++ways; });
    const double bytes = through_[vertex] / std::max(ways, 1U);
    ways_.for_each_last_edge(vertex, [&](std::uint32_t edge) {
      through_[graph_.edges[edge].from] += bytes;
      load_s_[edge] += bytes / graph_.edges[edge].capacity_bytes_per_s;
    });
  }

  // Makes the busy edges longer.
  void lengthen() {
    const double scale_s = std::max(best_s_, 1e-300);
    for (std::size_t i = 0; i < load_s_.size(); ++i) {
      ways_.length[i] *= 1 + kStep * load_s_[i] / scale_s;
    }
    const double longest = *std::max_element(ways_.length.begin(), ways_.length.end());
    if (longest > 1e100) {
      for (double& length : ways_.length) {
        length /= longest;
      }
    }
  }

  const MergedGraph& graph_;
  ShortestPaths ways_;
  double unevenness_;
  double best_s_;
  LengthSearch found_;
  std::vector<std::uint32_t> sources_;
  std::vector<double> load_s_;        // by edge: time for the bytes sent in this round
  std::vector<double> total_load_s_;  // by edge: time for all bytes sent so far
  std::vector<double> through_;       // by vertex: bytes on the way to it and beyond
};

// Replaces the lengths of the merged graph by those of the whole graph.
LengthSearch for_all_edges(LengthSearch found, const MergedGraph& merged) {
  if (!found.best.of_edge.empty()) {
    std::vector<double> of_edge;
    for (const std::uint32_t place : merged.place_of_edge) {
      of_edge.push_back(found.best.of_edge[place]);
    }
    found.best.of_edge = std::move(of_edge);
  }
  return found;
}

}  // namespace

double work_of_round(const TwinHosts& twins) {
  const auto count = [](const std::vector<std::uint32_t>& firsts) {
    double own = 0;
    for (std::uint32_t i = 0; i < firsts.size(); ++i) {
      own += firsts[i] == i ? 1 : 0;
    }
    return own;
  };
  return count(twins.first_of_host) * (count(twins.edge) + count(twins.vertex));
}

LengthSearch search_lengths(const FlowGraph& graph, const TwinHosts& twins, const PieceRows& pieces,
                            double unevenness, double at_least_s, double feasible_s) {
  const MergedGraph merged(graph, twins, pieces);
  PieceRouting routing(merged, unevenness, at_least_s, feasible_s);
  const double rounds = kMostWork / std::max(work_of_round(twins), 1.0);
  return for_all_edges(
      routing.run(static_cast<std::uint32_t>(std::clamp(rounds, 1.0, double{kMostRounds}))),
      merged);
}

LengthSearch first_lengths(const FlowGraph& graph, const TwinHosts& twins, const PieceRows& pieces,
                           double unevenness, double at_least_s) {
  const MergedGraph merged(graph, twins, pieces);
  PieceRouting routing(merged, unevenness, at_least_s, std::numeric_limits<double>::infinity());
  return for_all_edges(routing.run(1), merged);
}

}}  // namespace tutti::cost_models
