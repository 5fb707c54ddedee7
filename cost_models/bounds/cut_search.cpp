#include "cost_models/bounds/cut_search.hpp"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tutti { inline namespace cost_models {

namespace {

// A cut must take longer than the best one so far by this factor, so that Newton's method ends.
constexpr double kLonger = 1 + 1e-13;

// Number of edges and vertices that the max-flows of a search may look at.
constexpr double kMostFlowWork = 5e7;

// The graph with one vertex for each class, and with a source and a sink, to each of which an edge
// leads from each class of hosts. Each edge has a reverse edge.
class MergedFlow {
 public:
  MergedFlow(const VertexClasses& classes, std::uint32_t hosts, Direction direction)
      : source_(classes.size()), sink_(classes.size() + 1), classes_(classes) {
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
    for (const FlowEdge& edge : classes.merged_edges()) {
      direction == Direction::forward ? add(edge.from, edge.to) : add(edge.to, edge.from);
      rates_.push_back(edge.capacity_bytes_per_s);
    }
    for (std::uint32_t each = 0; each < classes.size(); ++each) {
      if (classes.members(each).front() < hosts) {
        of_hosts_.push_back(each);
        add(source_, each);
        add(each, sink_);
      }
    }
    std::stable_sort(arcs.begin(), arcs.end(),
                     [](const Arc& a, const Arc& b) { return a.from < b.from; });
    position_.resize(arcs.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      position_[arcs[i].pair] = i;
      ends.emplace_back(arcs[i].from, arcs[i].to);
    }
    graph_ = Graph(boost::edges_are_sorted, ends.begin(), ends.end(), sink_ + 1);
    reverse_.resize(arcs.size());
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      reverse_[i] = Edge(arcs[i].to, position_[arcs[i].pair ^ 1U]);
    }
    capacity_.resize(arcs.size());
    residual_.resize(arcs.size());
    before_.resize(sink_ + 1);
    colour_.resize(sink_ + 1);
    distance_.resize(sink_ + 1);
  }

  // Sets the capacities of all edges to the bytes that they carry in the given time, but at most
  // `most`, which stands for an unlimited capacity. For each class of hosts, source(host) and
  // sink(host) return the capacities of the edges to one of its hosts.
  template <typename Source, typename Sink>
  void set(double seconds, double most, const Source& source, const Sink& sink) {
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      capacity_[position_[2 * i]] = std::min(rates_[i] * seconds, most);
    }
    for (std::size_t i = 0; i < of_hosts_.size(); ++i) {
      const auto members = classes_.members(of_hosts_[i]);
      const auto count = static_cast<double>(members.size());
      capacity_[position_[2 * (rates_.size() + 2 * i)]] = count * source(members.front());
      capacity_[position_[2 * (rates_.size() + 2 * i + 1)]] = count * sink(members.front());
    }
  }
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  // Returns a positive time in which no link can carry more than a tiny part of the bytes. The
  // minimum cut for this time lets as many bytes as possible leave, over as few links as possible.
  [[nodiscard]] double tiny_s(double bytes) const {
    double most = 0;
    for (const double rate : rates_) {
      most = std::isfinite(rate) ? std::max(most, rate) : most;
    }
    return most > 0 ? 1e-9 * bytes / most : 1;
  }
  // The number of edges of the graph, and of vertices that belong to it.
  [[nodiscard]] double work() const { return static_cast<double>(capacity_.size() + source_); }

  // Returns the vertices of the whole graph on the side of the source of a minimum cut.
  [[nodiscard]] std::vector<bool> minimum_cut(std::uint32_t vertices) {
    const auto index = boost::get(boost::edge_index, graph_);
    const auto vertex = boost::get(boost::vertex_index, graph_);
    boost::boykov_kolmogorov_max_flow(
        graph_, boost::make_iterator_property_map(capacity_.begin(), index),
        boost::make_iterator_property_map(residual_.begin(), index),
        boost::make_iterator_property_map(reverse_.begin(), index),
        boost::make_iterator_property_map(before_.begin(), vertex),
        boost::make_iterator_property_map(colour_.begin(), vertex),
        boost::make_iterator_property_map(distance_.begin(), vertex), vertex, source_, sink_);
    std::vector<bool> inside(vertices);
    for (std::uint32_t i = 0; i < vertices; ++i) {
      inside[i] = colour_[classes_.class_of(i)] == boost::black_color;
    }
    return inside;
  }

 private:
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  using Edge = boost::graph_traits<Graph>::edge_descriptor;

  std::uint32_t source_;
  std::uint32_t sink_;
  const VertexClasses& classes_;
  std::vector<std::uint32_t> of_hosts_;  // classes
  std::vector<double> rates_;            // by edge between classes
  std::vector<std::uint32_t> position_;  // by arc in the order of their creation
  Graph graph_;
  std::vector<Edge> reverse_;
  std::vector<double> capacity_;
  std::vector<double> residual_;
  std::vector<Edge> before_;
  std::vector<boost::default_color_type> colour_;
  std::vector<std::uint32_t> distance_;
};

}  // namespace

double CutSearch::capacity_out(Direction direction, std::vector<bool> inside) const {
  if (direction == Direction::backward) {
    inside.flip();
  }
  return graph_->capacity_out(inside);
}

std::optional<NetworkCut> CutSearch::broadcast_cut(Direction direction,
                                                   std::span<const double> bytes,
                                                   double at_least_s) const {
  const std::uint32_t hosts = graph_->hosts().size();
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  std::optional<NetworkCut> best;
  if (!(all > 0) || hosts < 2) {
    return best;
  }
  VertexClasses classes = classes_;
  classes.set_apart_by_value(bytes);
  double seconds = std::max(at_least_s, MergedFlow(classes, hosts, direction).tiny_s(all));
  const auto take = [&](std::vector<bool> inside) {
    double left = 0;
    bool host_outside = false;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      left += inside[host] ? bytes[host] : 0;
      host_outside |= !inside[host];
    }
    NetworkCut cut{std::move(inside), left, 0};
    cut.capacity_bytes_per_s = capacity_out(direction, cut.inside);
    if (!host_outside || !(left > 0) || !(cut.seconds() > seconds * kLonger)) {
      return false;
    }
    seconds = cut.seconds();
    best = std::move(cut);
    return true;
  };

  // Once a host is known to get everything in time, it is inside all sets that may be better.
  // Therefore its data may come from it without limit. The same holds for all hosts of its class.
  std::vector<std::uint32_t> order(hosts);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bytes[a] > bytes[b]; });
  const double unlimited = 4 * all;
  std::vector<bool> served(classes.size(), false);
  double work = 0;
  for (const std::uint32_t host : order) {
    if (served[classes.class_of(host)]) {
      continue;
    }
    VertexClasses own = classes;
    own.set_apart({&host, 1});
    MergedFlow flow(own, hosts, direction);
    do {
      work += flow.work() + graph_->vertices();
      flow.set(
          seconds, unlimited,
          [&](std::uint32_t other) {
            return served[classes.class_of(other)] ? unlimited : bytes[other];
          },
          [&](std::uint32_t other) { return other == host ? all : 0; });
    } while (take(flow.minimum_cut(graph_->vertices())));
    served[classes.class_of(host)] = true;
    if (work > kMostFlowWork) {
      break;
    }
  }
  return best;
}

std::optional<NetworkCut> CutSearch::scatter_cut(Direction direction, std::uint32_t root,
                                                 std::span<const double> bytes,
                                                 double at_least_s) const {
  const std::uint32_t hosts = graph_->hosts().size();
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0) - bytes[root];
  std::optional<NetworkCut> best;
  if (!(all > 0)) {
    return best;
  }
  VertexClasses classes = classes_;
  classes.set_apart({&root, 1});
  classes.set_apart_by_value(bytes);
  MergedFlow flow(classes, hosts, direction);
  double seconds = std::max(at_least_s, flow.tiny_s(all));
  const auto take = [&](std::vector<bool> inside) {
    double needed = 0;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      needed += inside[host] ? 0 : bytes[host];
    }
    NetworkCut cut{std::move(inside), needed, 0};
    cut.capacity_bytes_per_s = capacity_out(direction, cut.inside);
    if (!cut.inside[root] || !(needed > 0) || !(cut.seconds() > seconds * kLonger)) {
      return false;
    }
    seconds = cut.seconds();
    best = std::move(cut);
    return true;
  };
  do {
    flow.set(
        seconds, 4 * all, [&](std::uint32_t host) { return host == root ? 4 * all : 0; },
        [&](std::uint32_t host) { return host == root ? 0 : bytes[host]; });
  } while (take(flow.minimum_cut(graph_->vertices())));
  return best;
}

NetworkCut CutSearch::narrowest(Direction direction, std::span<const std::uint32_t> hosts) const {
  VertexClasses classes = classes_;
  classes.set_apart(hosts);
  MergedFlow flow(classes, graph_->hosts().size(), direction);
  // The capacities of the hosts must be larger than those of all links together.
  double all = 1;
  for (const double rate : flow.rates()) {
    all += std::isfinite(rate) ? rate : 0;
  }
  std::vector<bool> members(graph_->hosts().size());
  for (const std::uint32_t host : hosts) {
    members[host] = true;
  }
  flow.set(
      1, 4 * all, [&](std::uint32_t host) { return members[host] ? 8 * all : 0; },
      [&](std::uint32_t host) { return members[host] ? 0 : 8 * all; });
  NetworkCut cut;
  cut.inside = flow.minimum_cut(graph_->vertices());
  cut.capacity_bytes_per_s = capacity_out(direction, cut.inside);
  return cut;
}

}}  // namespace tutti::cost_models
