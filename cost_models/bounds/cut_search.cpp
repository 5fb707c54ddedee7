#include "cost_models/bounds/cut_search.hpp"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "cost_models/bounds/twin_hosts.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// A cut must take longer than the best one so far by this factor, so that Newton's method ends.
constexpr double kLonger = 1 + 1e-13;

}  // namespace

// The graph with a source and a sink, and an edge from the source to each host and from each host
// to the sink. Each edge has a reverse edge.
struct CutSearch::Solver {
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  using Edge = boost::graph_traits<Graph>::edge_descriptor;

  Solver(const FlowGraph& of, Direction way)
      : flow_graph(of),
        twins(of),
        direction(way),
        hosts(flow_graph.hosts().size()),
        source(flow_graph.vertices()),
        sink(flow_graph.vertices() + 1) {
    struct Arc {
      std::uint32_t from;
      std::uint32_t to;
      std::uint32_t pair;  // edges 2 * pair and 2 * pair + 1 are the reverse of each other
    };
    std::vector<Arc> arcs;
    const auto add = [&arcs](std::uint32_t from, std::uint32_t to) {
      const auto id = static_cast<std::uint32_t>(arcs.size());
      arcs.push_back({from, to, id});
      arcs.push_back({to, from, id + 1});
    };
    for (const FlowEdge& edge : flow_graph.edges()) {
      direction == Direction::forward ? add(edge.from, edge.to) : add(edge.to, edge.from);
      rates.push_back(edge.capacity_bytes_per_s);
    }
    for (std::uint32_t host = 0; host < hosts; ++host) {
      add(source, host);
      add(host, sink);
    }
    std::stable_sort(arcs.begin(), arcs.end(),
                     [](const Arc& a, const Arc& b) { return a.from < b.from; });
    position.resize(arcs.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      position[arcs[i].pair] = i;
      ends.emplace_back(arcs[i].from, arcs[i].to);
    }
    graph = Graph(boost::edges_are_sorted, ends.begin(), ends.end(), sink + 1);
    reverse.resize(arcs.size());
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      reverse[i] = Edge(arcs[i].to, position[arcs[i].pair ^ 1U]);
    }
    capacity.resize(arcs.size());
    residual.resize(arcs.size());
    before.resize(sink + 1);
    colour.resize(sink + 1);
    distance.resize(sink + 1);
  }

  // Sets the capacities of all edges to the bytes that they carry in the given time, but at most
  // `most`, which stands for an unlimited capacity.
  void set_time(double seconds, double most) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      capacity[position[2 * i]] = std::min(rates[i] * seconds, most);
    }
  }
  double& from_source(std::uint32_t host) {
    return capacity[position[2 * (rates.size() + 2 * std::size_t{host})]];
  }
  double& to_sink(std::uint32_t host) {
    return capacity[position[2 * (rates.size() + 2 * std::size_t{host} + 1)]];
  }
  // Returns a positive time in which no link can carry more than a tiny part of the bytes. The
  // minimum cut for this time lets as many bytes as possible leave, over as few links as possible.
  [[nodiscard]] double tiny_s(double bytes) const {
    double most = 0;
    for (const double rate : rates) {
      most = std::isfinite(rate) ? std::max(most, rate) : most;
    }
    return most > 0 ? 1e-9 * bytes / most : 1;
  }

  // Returns the vertices on the side of the source of a minimum cut.
  [[nodiscard]] std::vector<bool> minimum_cut() {
    const auto index = boost::get(boost::edge_index, graph);
    const auto vertex = boost::get(boost::vertex_index, graph);
    boost::boykov_kolmogorov_max_flow(
        graph, boost::make_iterator_property_map(capacity.begin(), index),
        boost::make_iterator_property_map(residual.begin(), index),
        boost::make_iterator_property_map(reverse.begin(), index),
        boost::make_iterator_property_map(before.begin(), vertex),
        boost::make_iterator_property_map(colour.begin(), vertex),
        boost::make_iterator_property_map(distance.begin(), vertex), vertex, source, sink);
    std::vector<bool> inside(sink - 1);
    for (std::uint32_t i = 0; i + 1 < sink; ++i) {
      inside[i] = colour[i] == boost::black_color;
    }
    return inside;
  }

  // Returns the capacity of the edges that leave the set in the direction of the search.
  [[nodiscard]] double capacity_out(std::vector<bool> inside) const {
    if (direction == Direction::backward) {
      inside.flip();
    }
    return flow_graph.capacity_out(inside);
  }

  const FlowGraph& flow_graph;
  TwinHosts twins;
  Direction direction;
  std::uint32_t hosts;
  std::uint32_t source;
  std::uint32_t sink;
  std::vector<double> rates;            // by edge of the flow graph
  std::vector<std::uint32_t> position;  // by arc in the order of their creation
  Graph graph;
  std::vector<Edge> reverse;
  std::vector<double> capacity;
  std::vector<double> residual;
  std::vector<Edge> before;
  std::vector<boost::default_color_type> colour;
  std::vector<std::uint32_t> distance;
};

CutSearch::CutSearch(const FlowGraph& graph, Direction direction)
    : solver_(std::make_unique<Solver>(graph, direction)) {}

CutSearch::~CutSearch() = default;

std::optional<NetworkCut> CutSearch::broadcast_cut(std::span<const double> bytes,
                                                   double at_least_s) {
  Solver& solver = *solver_;
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  std::optional<NetworkCut> best;
  if (!(all > 0) || solver.hosts < 2) {
    return best;
  }
  double seconds = std::max(at_least_s, solver.tiny_s(all));
  const auto take = [&](std::vector<bool> inside) {
    double left = 0;
    bool host_outside = false;
    for (std::uint32_t host = 0; host < solver.hosts; ++host) {
      left += inside[host] ? bytes[host] : 0;
      host_outside |= !inside[host];
    }
    NetworkCut cut{std::move(inside), left, 0};
    cut.capacity_bytes_per_s = solver.capacity_out(cut.inside);
    if (!host_outside || !(left > 0) || !(cut.seconds() > seconds * kLonger)) {
      return false;
    }
    seconds = cut.seconds();
    best = std::move(cut);
    return true;
  };

  // Once a host is known to get everything in time, it is inside all sets that may be better.
  // Therefore its data may come from it without limit.
  std::vector<std::uint32_t> order(solver.hosts);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bytes[a] > bytes[b]; });
  const double unlimited = 4 * all;
  std::vector<bool> served(solver.hosts, false);
  std::set<std::pair<std::uint32_t, double>> known;  // first twin and bytes of hosts in `served`
  for (const std::uint32_t host : order) {
    const bool like_another = !known.insert({solver.twins.first_of_host[host], bytes[host]}).second;
    while (!like_another) {
      solver.set_time(seconds, unlimited);
      for (std::uint32_t other = 0; other < solver.hosts; ++other) {
        solver.from_source(other) = served[other] ? unlimited : bytes[other];
        solver.to_sink(other) = 0;
      }
      solver.to_sink(host) = all;
      if (!take(solver.minimum_cut())) {
        break;
      }
    }
    served[host] = true;
  }
  return best;
}

std::optional<NetworkCut> CutSearch::scatter_cut(std::uint32_t root, std::span<const double> bytes,
                                                 double at_least_s) {
  Solver& solver = *solver_;
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0) - bytes[root];
  std::optional<NetworkCut> best;
  if (!(all > 0)) {
    return best;
  }
  double seconds = std::max(at_least_s, solver.tiny_s(all));
  const auto take = [&](std::vector<bool> inside) {
    double needed = 0;
    for (std::uint32_t host = 0; host < solver.hosts; ++host) {
      needed += inside[host] ? 0 : bytes[host];
    }
    NetworkCut cut{std::move(inside), needed, 0};
    cut.capacity_bytes_per_s = solver.capacity_out(cut.inside);
    if (!cut.inside[root] || !(needed > 0) || !(cut.seconds() > seconds * kLonger)) {
      return false;
    }
    seconds = cut.seconds();
    best = std::move(cut);
    return true;
  };
  do {
    solver.set_time(seconds, 4 * all);
    for (std::uint32_t host = 0; host < solver.hosts; ++host) {
      solver.from_source(host) = host == root ? 4 * all : 0;
      solver.to_sink(host) = host == root ? 0 : bytes[host];
    }
  } while (take(solver.minimum_cut()));
  return best;
}

NetworkCut CutSearch::narrowest(const std::vector<bool>& members) {
  Solver& solver = *solver_;
  // The capacities of the hosts must be larger than those of all links together.
  double all = 1;
  for (const double rate : solver.rates) {
    all += std::isfinite(rate) ? rate : 0;
  }
  solver.set_time(1, 4 * all);
  for (std::uint32_t host = 0; host < solver.hosts; ++host) {
    solver.from_source(host) = members[host] ? 8 * all : 0;
    solver.to_sink(host) = members[host] ? 0 : 8 * all;
  }
  NetworkCut cut;
  cut.inside = solver.minimum_cut();
  cut.capacity_bytes_per_s = solver.capacity_out(cut.inside);
  return cut;
}

}}  // namespace tutti::cost_models
