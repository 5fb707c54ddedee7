#include "schedules/schedule.hpp"

#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "schedules/boost_graph.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/served_ranks.hpp"

namespace tutti::test_schedule {

namespace {

Schedule some_schedule(const Algorithm& algorithm, std::uint32_t ranks) {
  ranks = served_ranks(algorithm, ranks);
  return make_schedule(algorithm, problem_of(algorithm, ranks, std::uint64_t{ranks} * 10));
}

}  // namespace

TEST_CASE(
    "predecessors and successors are the same edges, ascending, and predecessors have lower ids") {
  for (const Algorithm* algorithm : algorithms()) {
    const Schedule schedule = some_schedule(*algorithm, 13);
    std::vector<std::pair<OpId, OpId>> from_predecessors;
    std::vector<std::pair<OpId, OpId>> from_successors;
    for (OpId id = 0; id < schedule.size(); ++id) {
      const auto before = schedule.predecessors(id);
      const auto after = schedule.successors(id);
      CHECK(std::is_sorted(before.begin(), before.end()));
      CHECK(std::is_sorted(after.begin(), after.end()));
      for (const OpId other : before) {
        CHECK(other < id);
        CHECK(schedule.op(id).shares_rank(schedule.op(other)));
        from_predecessors.emplace_back(other, id);
      }
      for (const OpId other : after) {
        from_successors.emplace_back(id, other);
      }
    }
    std::sort(from_predecessors.begin(), from_predecessors.end());
    INFO(algorithm->full_name());
    CHECK(from_predecessors == from_successors);
    CHECK(schedule.dependencies() == from_predecessors.size());
  }
}

TEST_CASE("an operation takes 48 bytes, and a dependency 4 in each direction") {
  for (const Algorithm* algorithm : algorithms()) {
    const Schedule schedule = some_schedule(*algorithm, 60);
    if (schedule.pooled_ops() == 0) {
      INFO(algorithm->full_name());
      const std::size_t all = 48 * std::size_t{schedule.size()} + 8 * schedule.dependencies() + 8;
      CHECK(schedule.memory_bytes() <= all + all / 50);  // emitters may reserve a little more
    }
  }
}

TEST_CASE("sums over all operations are right") {
  for (const Algorithm* algorithm : algorithms()) {
    const Schedule schedule = some_schedule(*algorithm, 12);
    std::uint64_t messages = 0;
    std::uint64_t sent = 0;
    std::uint64_t reduced = 0;
    std::set<std::uint32_t> levels;
    for (const Op& op : schedule.ops()) {
      if (op.is_comm()) {
        ++messages;
        sent += op.bytes();
        levels.insert(op.label().level);
      } else if (op.kind() == OpKind::reduce) {
        reduced += op.bytes();
      }
    }
    INFO(algorithm->full_name());
    CHECK(schedule.messages() == messages);
    CHECK(schedule.bytes_sent() == sent);
    CHECK(schedule.bytes_reduced() == reduced);
    CHECK(schedule.rounds() == levels.size());
  }
}

BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Schedule>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Schedule>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Schedule>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Schedule>));

TEST_CASE("A schedule is a Boost graph") {
  const Schedule schedule = some_schedule(algorithm_named("allreduce/ring"), 8);
  REQUIRE(num_vertices(schedule) == schedule.size());
  REQUIRE(num_edges(schedule) == schedule.dependencies());
  std::size_t seen = 0;
  for (auto [edge, end] = edges(schedule); edge != end; ++edge, ++seen) {
    const auto [in, in_end] = in_edges((*edge).after, schedule);
    CHECK(std::count(in, in_end, *edge) == 1);
    const auto [out, out_end] = out_edges((*edge).before, schedule);
    CHECK(std::count(out, out_end, *edge) == 1);
  }
  CHECK(seen == schedule.dependencies());

  std::vector<OpId> reversed;
  boost::topological_sort(schedule, std::back_inserter(reversed));
  std::vector<std::size_t> position(schedule.size());
  for (std::size_t i = 0; i < reversed.size(); ++i) {
    position[reversed[i]] = reversed.size() - i;
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      CHECK(position[before] < position[id]);
    }
  }

  // The longest path from operation 0 has 7 sends with a reduction after each, then 7 more sends.
  // The length of a path is its number of edges.
  std::vector<int> distance(schedule.size());
  const auto weight = boost::make_function_property_map<DependencyEdge, int>(
      [](const DependencyEdge&) { return -1; });
  boost::dag_shortest_paths(schedule, 0,
                            boost::distance_map(distance.data())
                                .weight_map(weight)
                                .distance_inf(std::numeric_limits<int>::max()));
  CHECK(*std::min_element(distance.begin(), distance.end()) == -(2 * 7 + 7 - 1));
}

TEST_CASE("an empty schedule is valid") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 1, 0), 1);
  const Schedule schedule = builder.finish();
  CHECK(schedule.size() == 0);
  CHECK(schedule.dependencies() == 0);
  CHECK(schedule.has_payload());
  CHECK(schedule.rounds() == 0);
  CHECK(num_vertices(schedule) == 0);
  CHECK(edges(schedule).first == edges(schedule).second);
}

TEST_CASE("moving a schedule also moves its edges") {
  Schedule first = some_schedule(algorithm_named("allreduce/ring"), 3);
  const OpId last = first.size() - 1;
  const std::vector<OpId> before(first.predecessors(last).begin(), first.predecessors(last).end());
  const Schedule second = std::move(first);
  CHECK(std::equal(before.begin(), before.end(), second.predecessors(last).begin()));
}

TEST_CASE("blocks moved to other places stay in their slot") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 8), 8);
  const std::vector<OpId> nothing;
  const OpId id =
      builder.copy({}, 0, {{7, 4, 2, 4}, {Buffer::scratch, 1}, {Buffer::scratch, 2}, 6}, nothing);
  const Schedule schedule = builder.finish();
  std::vector<BlockPair> found;
  for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t into) {
    found.push_back({from, into});
  });
  CHECK(found == std::vector<BlockPair>{{15, 22}, {8, 23}, {11, 18}, {12, 19}});
}

}  // namespace tutti::test_schedule
