#include "cost_models/bounds/vertex_classes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tutti { inline namespace cost_models {

// An edge with a limit is the only one that leaves its vertex, so the capacities of edges are a
// property of the vertices at which they begin.
VertexClasses::VertexClasses(const FlowGraph& graph)
    : graph_(&graph),
      order_(graph.vertices()),
      place_(graph.vertices()),
      class_of_(graph.vertices()),
      counts_(graph.vertices(), 0) {
  std::vector<std::tuple<bool, FlowEdge::Kind, double>> colours(graph.vertices());
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    colours[vertex] = {vertex < graph.hosts().size(), FlowEdge::Kind::junction, 0};
  }
  for (const FlowEdge& edge : graph.edges()) {
    if (edge.kind != FlowEdge::Kind::junction) {
      std::get<1>(colours[edge.from]) = edge.kind;
      std::get<2>(colours[edge.from]) = edge.capacity_bytes_per_s;
    }
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return colours[a] < colours[b]; });
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || colours[order_[i]] != colours[order_[i - 1]]) {
      add_class(i, 0);
    }
    ++classes_.back().size;
    class_of_[order_[i]] = size() - 1;
    place_[order_[i]] = i;
  }
  refine();
}

std::uint32_t VertexClasses::add_class(std::uint32_t first, std::uint32_t size) {
  const auto added = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back({first, size, true});
  queue_.push_back(added);
  return added;
}

void VertexClasses::set_apart(std::span<const std::uint32_t> vertices) {
  for (const std::uint32_t vertex : vertices) {
    counts_[vertex] = 1;
    counted_.push_back(vertex);
  }
  split_by_counts();
  refine();
}

void VertexClasses::set_apart_by_value(std::span<const double> of_host) {
  std::vector<std::uint32_t> hosts(of_host.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return of_host[a] > of_host[b]; });
  for (std::size_t first = 0; first < hosts.size();) {
    std::size_t end = first;
    while (end < hosts.size() && of_host[hosts[end]] == of_host[hosts[first]]) {
      ++end;
    }
    if (end < hosts.size()) {
      set_apart(std::span(hosts).subspan(first, end - first));
    }
    first = end;
  }
}

void VertexClasses::refine() {
  std::vector<std::uint32_t> splitter;
  while (!queue_.empty()) {
    const std::uint32_t by = queue_.back();
    queue_.pop_back();
    classes_[by].is_queued = false;
    splitter.assign(members(by).begin(), members(by).end());
    for (const bool out : {true, false}) {
      for (const std::uint32_t vertex : splitter) {
        for (const std::uint32_t id : graph_->edges_at(vertex)) {
          const FlowEdge& edge = graph_->edges()[id];
          const std::uint32_t other = out ? edge.to : edge.from;
          if ((out ? edge.from : edge.to) == vertex && counts_[other]++ == 0) {
            counted_.push_back(other);
          }
        }
      }
      split_by_counts();
    }
  }
}

void VertexClasses::split_by_counts() {
  std::sort(counted_.begin(), counted_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(class_of_[a], counts_[a], a) < std::tie(class_of_[b], counts_[b], b);
  });
  for (std::size_t first = 0; first < counted_.size();) {
    std::size_t end = first;
    const std::uint32_t of_class = class_of_[counted_[first]];
    while (end < counted_.size() && class_of_[counted_[end]] == of_class) {
      ++end;
    }
    split(of_class, std::span(counted_).subspan(first, end - first));
    first = end;
  }
  for (const std::uint32_t vertex : counted_) {
    counts_[vertex] = 0;
  }
  counted_.clear();
}

// `counted` are members of the class in the order of their counts; the other members have count 0.
// One part keeps the number of the class. If the class is not queued, its edges are accounted for,
// and the largest part need not be queued: its edges are the rest (Hopcroft).
void VertexClasses::split(std::uint32_t of_class, std::span<const std::uint32_t> counted) {
  const Class whole = classes_[of_class];
  const auto touched = static_cast<std::uint32_t>(counted.size());
  if (touched == whole.size && counts_[counted.front()] == counts_[counted.back()]) {
    return;
  }
  const std::uint32_t first_counted = whole.first + whole.size - touched;
  for (std::uint32_t i = touched; i > 0; --i) {
    const std::uint32_t vertex = counted[i - 1];
    const std::uint32_t target = first_counted + i - 1;
    const std::uint32_t displaced = order_[target];
    std::swap(order_[place_[vertex]], order_[target]);
    place_[displaced] = place_[vertex];
    place_[vertex] = target;
  }
  const std::size_t queued = queue_.size();
  std::uint32_t largest = of_class;
  classes_[of_class].size = whole.size - touched;
  for (std::uint32_t i = 0; i < touched;) {
    std::uint32_t end = i;
    while (end < touched && counts_[counted[end]] == counts_[counted[i]]) {
      ++end;
    }
    std::uint32_t part = of_class;
    if (classes_[of_class].size == 0) {
      classes_[of_class] = {first_counted + i, end - i, whole.is_queued};
    } else {
      part = add_class(first_counted + i, end - i);
    }
    for (; i < end; ++i) {
      class_of_[counted[i]] = part;
    }
    largest = classes_[part].size > classes_[largest].size ? part : largest;
  }
  if (!whole.is_queued && largest != of_class) {
    *std::find(queue_.begin() + static_cast<std::ptrdiff_t>(queued), queue_.end(), largest) =
        of_class;
    classes_[largest].is_queued = false;
    classes_[of_class].is_queued = true;
  }
}

std::vector<FlowEdge> VertexClasses::merged_edges() const {
  std::vector<FlowEdge> merged;
  std::vector<FlowEdge> own;
  for (std::uint32_t from = 0; from < size(); ++from) {
    own.clear();
    for (const std::uint32_t id : graph_->edges_at(members(from).front())) {
      FlowEdge edge = graph_->edges()[id];
      if (edge.from == members(from).front()) {
        edge.from = from;
        edge.to = class_of_[edge.to];
        edge.capacity_bytes_per_s *= classes_[from].size;
        own.push_back(edge);
      }
    }
    std::sort(own.begin(), own.end(),
              [](const FlowEdge& a, const FlowEdge& b) { return a.to < b.to; });
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i > 0 && own[i].to == own[i - 1].to) {
        merged.back().capacity_bytes_per_s += own[i].capacity_bytes_per_s;
      } else {
        merged.push_back(own[i]);
      }
    }
  }
  return merged;
}

}}  // namespace tutti::cost_models
