#include "cost_models/bounds/length_search.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost_models/bounds/twin_hosts.hpp"

namespace tutti::inline cost_models {

namespace {

constexpr double kCloseEnough = 1.01;
constexpr double kStep = 0.2;
// Number of edges that all searches of shortest ways may look at.
constexpr double kMostWork = 8e7;
constexpr std::uint32_t kMostRounds = 100;
constexpr std::uint32_t kNoEdge = 0xffffffffU;

class ShortestWays {
 public:
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;

  ShortestWays(const std::vector<FlowEdge>& edges, std::uint32_t vertices)
      : edges_(edges),
        order_of_(edges.size()),
        length(edges.size(), 0),
        distance(vertices),
        edge_to(vertices) {
    for (std::uint32_t i = 0; i < order_of_.size(); ++i) {
      order_of_[i] = i;
    }
    std::stable_sort(order_of_.begin(), order_of_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return edges_[a].from < edges_[b].from;
    });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (const std::uint32_t i : order_of_) {
      ends.emplace_back(edges_[i].from, edges_[i].to);
    }
    graph_ = Graph(boost::edges_are_sorted, ends.begin(), ends.end(), vertices);
    sorted_length_.resize(order_of_.size());
    before_.resize(vertices);
  }

  // Finds the shortest ways from a host. Sets `distance`, `edge_to` and `visited`.
  void search(std::uint32_t from) {
    for (std::size_t i = 0; i < order_of_.size(); ++i) {
      sorted_length_[i] = length[order_of_[i]];
    }
    visited.clear();
    std::fill(edge_to.begin(), edge_to.end(), kNoEdge);
    const auto index = boost::get(boost::edge_index, graph_);
    const auto vertex = boost::get(boost::vertex_index, graph_);
    boost::dijkstra_shortest_paths(
        graph_, from,
        boost::weight_map(boost::make_iterator_property_map(sorted_length_.begin(), index))
            .distance_map(boost::make_iterator_property_map(distance.begin(), vertex))
            .predecessor_map(boost::make_iterator_property_map(before_.begin(), vertex))
            .visitor(Visitor(*this)));
  }

 private:
  class Visitor : public boost::dijkstra_visitor<> {
   public:
    explicit Visitor(ShortestWays& ways) : ways_(&ways) {}
    template <typename Edge>
    void edge_relaxed(const Edge& edge, const Graph& graph) const {
      const std::uint32_t sorted = boost::get(boost::edge_index, graph, edge);
      ways_->edge_to[boost::target(edge, graph)] = ways_->order_of_[sorted];
    }
    void examine_vertex(std::uint32_t vertex, const Graph& /*graph*/) const {
      ways_->visited.push_back(vertex);
    }

   private:
    ShortestWays* ways_;
  };

  const std::vector<FlowEdge>& edges_;
  std::vector<std::uint32_t> order_of_;  // edges, sorted by their starts
  Graph graph_;
  std::vector<double> sorted_length_;
  std::vector<std::uint32_t> before_;

 public:
  std::vector<double> length;          // by edge
  std::vector<double> distance;        // by vertex
  std::vector<std::uint32_t> edge_to;  // by vertex: last edge of the shortest way
  std::vector<std::uint32_t> visited;  // vertices in the order of their distances
};

// The graph with one host in place of all its twins. The links of this host have the capacity of
// the links of all twins. If some lengths give a bound, their mean over all exchanges of twins
// gives at least the same bound, so lengths that are equal for twins are as good as any.
//
// Hosts have two vertices: messages begin at the first, which has the number of the host, and end
// at the second. So data between two twins go to a junction and back.
struct MergedGraph {
  MergedGraph(const FlowGraph& graph, const HostPairs& all)
      : twins(graph),
        hosts(static_cast<std::uint32_t>(all.hosts)),
        first_target(graph.vertices()),
        vertices(graph.vertices() + hosts),
        place_of_edge(graph.edges().size()),
        pieces{all.hosts, std::vector<double>(all.bytes.size(), 0)} {
    for (std::uint32_t i = 0; i < place_of_edge.size(); ++i) {
      const FlowEdge& edge = graph.edges()[i];
      if (twins.edge[i] == i) {
        place_of_edge[i] = static_cast<std::uint32_t>(edges.size());
        edges.push_back(edge);
        if (edge.to < hosts) {
          edges.back().to += first_target;
        }
      }
    }
    for (std::uint32_t i = 0; i < place_of_edge.size(); ++i) {
      if (twins.edge[i] != i) {
        place_of_edge[i] = place_of_edge[twins.edge[i]];
        edges[place_of_edge[i]].capacity_bytes_per_s += graph.edges()[i].capacity_bytes_per_s;
      }
    }
    for (std::uint32_t host = 0; host < hosts; ++host) {
      FlowEdge& forwards = edges.emplace_back();
      forwards.from = first_target + host;
      forwards.to = host;
    }
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        pieces.bytes[std::size_t{twins.first_of_host[from]} * hosts + twins.first_of_host[to]] +=
            all.at(from, to);
      }
    }
  }

  TwinHosts twins;
  std::uint32_t hosts;
  std::uint32_t first_target;  // the vertex at which messages to host 0 end
  std::uint32_t vertices;
  std::vector<FlowEdge> edges;
  std::vector<std::uint32_t> place_of_edge;  // by edge of the whole graph: its index in `edges`
  HostPairs pieces;
};

class PieceRouting {
 public:
  PieceRouting(const MergedGraph& graph, double at_least_s, double feasible_s)
      : graph_(graph),
        pieces_(graph.pieces),
        ways_(graph.edges, graph.vertices),
        best_s_(at_least_s),
        total_load_s_(graph.edges.size(), 0),
        through_(graph.vertices) {
    found_.feasible_s = feasible_s;
    for (std::uint32_t from = 0; from < graph.hosts; ++from) {
      for (std::uint32_t to = 0; to < graph.hosts; ++to) {
        if (pieces_.at(from, to) > 0) {
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

  LengthSearch run() {
    const double work = static_cast<double>(sources_.size()) *
                        static_cast<double>(graph_.edges.size() + graph_.vertices);
    const auto rounds = static_cast<std::uint32_t>(
        std::clamp(kMostWork / std::max(work, 1.0) / 2, 1.0, double{kMostRounds}));
    if (done()) {
      return std::move(found_);
    }
    evaluate();  // lengths by which links of more capacity are shorter
    for (std::uint32_t round = 1; round <= rounds && !done(); ++round) {
      send_all(round);
      if (done()) {
        break;
      }
      evaluate();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool done() const { return found_.feasible_s <= best_s_ * kCloseEnough; }

  void evaluate() {
    EdgeLengths lengths;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      if (ways_.length[i] > 0) {
        lengths.weighted_bytes_per_s += graph_.edges[i].capacity_bytes_per_s * ways_.length[i];
      }
    }
    for (const std::uint32_t from : sources_) {
      ways_.search(from);
      for (std::uint32_t to = 0; to < pieces_.hosts; ++to) {
        if (pieces_.at(from, to) > 0) {
          lengths.weighted_bytes += pieces_.at(from, to) * ways_.distance[graph_.first_target + to];
        }
      }
    }
    if (lengths.weighted_bytes_per_s > 0 && lengths.seconds() > best_s_) {
      lengths.of_edge = ways_.length;
      best_s_ = lengths.seconds();
      found_.best = std::move(lengths);
    }
  }

  // Sends all data once. The mean over all rounds is a feasible way to send them.
  void send_all(std::uint32_t round) {
    const std::vector<FlowEdge>& edges = graph_.edges;
    const double scale_s = std::max(best_s_, 1e-300);
    for (const std::uint32_t from : sources_) {
      ways_.search(from);
      std::fill(through_.begin(), through_.end(), 0.0);
      for (std::uint32_t to = 0; to < pieces_.hosts; ++to) {
        through_[graph_.first_target + to] += pieces_.at(from, to);
      }
      for (auto vertex = ways_.visited.rbegin(); vertex != ways_.visited.rend(); ++vertex) {
        const std::uint32_t edge = ways_.edge_to[*vertex];
        const double bytes = through_[*vertex];
        if (edge == kNoEdge || bytes == 0) {
          continue;
        }
        through_[edges[edge].from] += bytes;
        if (ways_.length[edge] > 0) {
          const double load_s = bytes / edges[edge].capacity_bytes_per_s;
          total_load_s_[edge] += load_s;
          ways_.length[edge] *= 1 + kStep * load_s / scale_s;
        }
      }
    }
    const double busiest_s = *std::max_element(total_load_s_.begin(), total_load_s_.end());
    found_.feasible_s = std::min(found_.feasible_s, busiest_s / round);
    const double longest = *std::max_element(ways_.length.begin(), ways_.length.end());
    if (longest > 1e100) {
      for (double& length : ways_.length) {
        length /= longest;
      }
    }
  }

  const MergedGraph& graph_;
  const HostPairs& pieces_;
  ShortestWays ways_;
  double best_s_;
  LengthSearch found_;
  std::vector<std::uint32_t> sources_;
  std::vector<double> total_load_s_;  // by edge: time for all bytes sent so far
  std::vector<double> through_;       // by vertex: bytes on the way to it and beyond
};

}  // namespace

LengthSearch search_lengths(const FlowGraph& graph, const HostPairs& pieces, double at_least_s,
                            double feasible_s) {
  if (graph.edges().empty()) {
    return {};
  }
  const MergedGraph merged(graph, pieces);
  LengthSearch found = PieceRouting(merged, at_least_s, feasible_s).run();
  if (!found.best.of_edge.empty()) {
    std::vector<double> of_edge;
    for (const std::uint32_t place : merged.place_of_edge) {
      of_edge.push_back(found.best.of_edge[place]);
    }
    found.best.of_edge = std::move(of_edge);
  }
  return found;
}

}  // namespace tutti::inline cost_models
