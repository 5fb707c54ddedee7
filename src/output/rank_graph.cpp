#include "src/output/rank_graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>

#include "base/human.hpp"
#include "schedules/place_name.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace output {

namespace {

// Returns the smallest and the largest count of a rank. `counts` has an element for each rank,
// followed by an element for each switch; the counts of switches are ignored.
Neighbours extremes(const std::vector<std::uint32_t>& counts, std::uint32_t ranks) {
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.begin() + ranks);
  return {*fewest, *most};
}

struct Vertex {
  std::string label;
};
struct Edge {
  std::int64_t messages;
  std::int64_t bytes;
};

}  // namespace

std::vector<RankEdge> rank_graph(const Schedule& schedule) {
  std::vector<RankEdge> messages;
  messages.reserve(schedule.messages());
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      messages.push_back({op.src(), op.dst(), 1, op.bytes()});
    }
  }
  std::ranges::sort(messages, [](const RankEdge& a, const RankEdge& b) {
    return a.src != b.src ? a.src < b.src : a.dst < b.dst;
  });
  std::vector<RankEdge> graph;
  for (const RankEdge& message : messages) {
    if (graph.empty() || graph.back().src != message.src || graph.back().dst != message.dst) {
      graph.push_back(message);
    } else {
      ++graph.back().messages;
      graph.back().bytes += message.bytes;
    }
  }
  return graph;
}

NeighbourCounts count_neighbours(const Schedule& schedule, const std::vector<RankEdge>& graph) {
  std::vector<std::uint32_t> sent_to(schedule.places());
  std::vector<std::uint32_t> received_from(schedule.places());
  for (const RankEdge& edge : graph) {
    ++sent_to[edge.src];
    ++received_from[edge.dst];
  }
  return {extremes(sent_to, schedule.ranks()), extremes(received_from, schedule.ranks())};
}

void print_ranks(const Schedule& schedule, std::string_view full_name, std::ostream& out) {
  const std::uint32_t p = schedule.ranks();
  fmt::print(out, "{} on {}, {}: who sends to whom\n", full_name, counted(p, "rank"),
             human_bytes(schedule.problem().bytes));
  print_field(out, 0, 0, "", "distance: receiver minus sender, modulo p");
  Table table({{"from"}, {"to"}, {"distance", true}, {"messages", true}, {"bytes", true}});
  for (const RankEdge& edge : rank_graph(schedule)) {
    const bool of_ranks = edge.src < p && edge.dst < p;
    table.add({place_name(schedule, edge.src), place_name(schedule, edge.dst),
               of_ranks ? fmt::format("{}", (edge.dst + p - edge.src) % p) : "-",
               fmt::format("{}", edge.messages), fmt::format("{}", edge.bytes)});
  }
  table.print(out, 2);
}

void write_ranks_csv(const Schedule& schedule, std::ostream& out) {
  write_csv_head(out);
  fmt::memory_buffer line;
  const auto end_line = [&] {
    line.push_back('\n');
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
    line.clear();
  };
  fmt::format_to(std::back_inserter(line), "from");
  for (Rank place = 0; place < schedule.places(); ++place) {
    fmt::format_to(std::back_inserter(line), ",{}", place_name(schedule, place));
  }
  end_line();
  const std::vector<RankEdge> graph = rank_graph(schedule);
  auto edge = graph.begin();
  for (Rank src = 0; src < schedule.places(); ++src) {
    fmt::format_to(std::back_inserter(line), "{}", place_name(schedule, src));
    for (Rank dst = 0; dst < schedule.places(); ++dst) {
      const bool sends = edge != graph.end() && edge->src == src && edge->dst == dst;
      fmt::format_to(std::back_inserter(line), ",{}", sends ? edge->bytes : 0);
      edge += sends ? 1 : 0;
    }
    end_line();
  }
}

void write_ranks_dot(const Schedule& schedule, std::string_view full_name, std::ostream& out) {
  fmt::print(out,
             "// {}, {} ranks, {} bytes: who sends to whom. Render: circo -Tsvg\n"
             "digraph ranks {{\n  node [shape=circle];\n",
             full_name, schedule.ranks(), schedule.problem().bytes);
  for (Rank place = 0; place < schedule.places(); ++place) {
    fmt::print(out, "  n{} [label=\"{}\"];\n", place,
               place < schedule.ranks() ? fmt::format("{}", place) : place_name(schedule, place));
  }
  for (const RankEdge& edge : rank_graph(schedule)) {
    fmt::print(out, "  n{} -> n{} [label=\"{}\", messages={}, bytes={}];\n", edge.src, edge.dst,
               edge.messages == 1
                   ? human_bytes(edge.bytes)
                   : fmt::format("{} in {}", human_bytes(edge.bytes), human_count(edge.messages)),
               edge.messages, edge.bytes);
  }
  fmt::print(out, "}}\n");
}

void write_ranks_graphml(const Schedule& schedule, std::ostream& out) {
  // The graph is bidirectional because such a graph keeps all its edges in a single list. For a
  // directed graph, which keeps a list of edges for each vertex, g++ 12 prints a warning about the
  // iterator.
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Vertex, Edge> graph(
      schedule.places());
  for (Rank place = 0; place < schedule.places(); ++place) {
    graph[place].label = place_name(schedule, place);
  }
  for (const RankEdge& edge : rank_graph(schedule)) {
    boost::add_edge(
        edge.src, edge.dst,
        {static_cast<std::int64_t>(edge.messages), static_cast<std::int64_t>(edge.bytes)}, graph);
  }
  boost::dynamic_properties properties;
  properties.property("label", boost::get(&Vertex::label, graph));
  properties.property("messages", boost::get(&Edge::messages, graph));
  properties.property("bytes", boost::get(&Edge::bytes, graph));
  boost::write_graphml(out, graph, properties, true);
}

namespace { namespace rank_graph_fields {

constexpr auto kEdge = fields<RankEdge>({
    {"src", member<&RankEdge::src>},
    {"dst", member<&RankEdge::dst>},
    {"messages", member<&RankEdge::messages>, at_least(1)},
    {"bytes", member<&RankEdge::bytes>, "Total bytes of these messages."},
});

constexpr auto kRanks = fields<RanksAnswer>({
    {"collective", [](const RanksAnswer& of) { return name(of.schedule.problem().collective); }},
    {"algorithm", member<&RanksAnswer::algorithm>},
    {"ranks", [](const RanksAnswer& of) { return of.schedule.problem().ranks; }, at_least(1)},
    {"switches",
     [](const RanksAnswer& of) {
       return value_if(of.schedule.switches() > 0, of.schedule.switches());
     },
     at_least(1) | absent,
     "Number of switches that take part. In `src` and `dst`, switches are numbered after the "
     "ranks. Absent if there are none."},
    {"bytes", [](const RanksAnswer& of) { return of.schedule.problem().bytes; }},
    {"edges", kEdge, [](const RanksAnswer& of) { return rank_graph(of.schedule); },
     "Pairs of a sender and a receiver, ordered by src and then by dst."},
});

}}  // namespace ::rank_graph_fields

extern const DocumentOf<RanksAnswer> kRanksDocument{
    {"tutti-ranks/1",
     "the graph of ranks of one schedule, as written by tutti show --format ranks --json",
     rank_graph_fields::kRanks.view()}};

}}  // namespace tutti::output
