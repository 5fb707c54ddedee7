// The communication graph of ranks: which rank sends how many messages, and how many bytes, to
// which other rank.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "schedules/schedule.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// All messages from one rank or switch to another.
struct RankEdge {
  Rank src = 0;
  Rank dst = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Returns the edges ordered by sender, then by receiver.
[[nodiscard]] std::vector<RankEdge> rank_graph(const Schedule& schedule);

// The smallest and the largest number of neighbours that any rank has.
struct Neighbours {
  std::uint32_t fewest = 0;
  std::uint32_t most = 0;
};
struct NeighbourCounts {
  Neighbours sent_to;
  Neighbours received_from;
};
[[nodiscard]] NeighbourCounts count_neighbours(const Schedule& schedule,
                                               const std::vector<RankEdge>& graph);

// Prints a line for each edge.
void print_ranks(const Schedule& schedule, std::string_view full_name, std::ostream& out);
// Writes a matrix of bytes, with a row for each sender and a column for each receiver.
void write_ranks_csv(const Schedule& schedule, std::ostream& out);
// Writes the graph for Graphviz.
void write_ranks_dot(const Schedule& schedule, std::string_view full_name, std::ostream& out);
void write_ranks_graphml(const Schedule& schedule, std::ostream& out);

// A schedule, with its algorithm's name, whose graph is written as JSON.
struct RanksAnswer {
  const Schedule& schedule;
  std::string_view algorithm;
};
extern const DocumentOf<RanksAnswer> kRanksDocument;

}}  // namespace tutti::output
