#include "src/output/rank_graph.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_rank_graph { namespace {

Schedule schedule_of(const char* name, std::uint32_t ranks, std::uint64_t elements) {
  const Algorithm& algorithm = algorithm_named(name);
  return make_schedule(algorithm, problem_of(algorithm.collective, ranks, elements));
}

TEST_CASE("messages between two ranks are one edge, ordered by sender, then receiver") {
  const Schedule ring = schedule_of("allgather/ring", 4, 8);
  const std::vector<RankEdge> graph = rank_graph(ring);
  REQUIRE(graph.size() == 4);
  for (Rank rank = 0; rank < 4; ++rank) {
    CHECK(graph[rank].src == rank);
    CHECK(graph[rank].dst == (rank + 1) % 4);
    CHECK(graph[rank].messages == 3);
    CHECK(graph[rank].bytes == 48);
  }
}

TEST_CASE("neighbours are counted for ranks that send or receive nothing, too") {
  const Schedule star = schedule_of("gather/linear", 5, 5);
  const NeighbourCounts counts = count_neighbours(star, rank_graph(star));
  CHECK(counts.sent_to.fewest == 0);  // the root
  CHECK(counts.sent_to.most == 1);
  CHECK(counts.received_from.fewest == 0);
  CHECK(counts.received_from.most == 4);
}

TEST_CASE("the matrix of bytes has a row for each sender") {
  std::ostringstream out;
  write_ranks_csv(schedule_of("gather/linear", 3, 3), out);
  CHECK_THAT(
      out.str(),
      Catch::EndsWith("from,rank 0,rank 1,rank 2\nrank 0,0,0,0\nrank 1,8,0,0\nrank 2,8,0,0\n"));
}

TEST_CASE("the distance of two ranks is counted modulo p") {
  std::ostringstream out;
  print_ranks(schedule_of("allgather/ring", 4, 8), "allgather/ring", out);
  CHECK_THAT(out.str(), Catch::Contains("allgather/ring on 4 ranks, 64 bytes"));
  std::istringstream lines(out.str());
  std::size_t edges = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string rank;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t distance = 0;
    if (words >> rank >> from >> rank >> to >> distance) {
      ++edges;
      CHECK(to == (from + 1) % 4);
      CHECK(distance == 1);
    }
  }
  CHECK(edges == 4);
}

}}  // namespace tutti::test_rank_graph
