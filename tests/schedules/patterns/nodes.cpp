// Tests node-aware algorithms with groups of uneven size, of ranks that are not consecutive, and
// with several radices: every schedule is proved, and no core sends more messages to other nodes
// than the phases between nodes need.
#include "schedules/patterns/nodes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_nodes {

namespace {

std::vector<const Algorithm*> node_aware_algorithms() {
  std::vector<const Algorithm*> all(algorithms().begin(), algorithms().end());
  std::erase_if(all, [](const Algorithm* each) {
    return each->name != "node_aware" && each->name != "locality_bruck";
  });
  return all;
}

// Returns groups of random sizes with ranks in random order.
Groups random_groups(std::uint32_t ranks, std::mt19937& random) {
  const std::uint32_t groups = 1 + static_cast<std::uint32_t>(random() % ranks);
  const bool in_order = random() % 2 == 0;
  std::vector<std::uint32_t> ids;
  for (Rank rank = 0; rank < ranks; ++rank) {
    // Some groups get many more ranks than others.
    ids.push_back(static_cast<std::uint32_t>(std::min(random() % groups, random() % groups)));
  }
  if (in_order) {
    std::sort(ids.begin(), ids.end());
  }
  return {{group_level(ids)}};
}

void prove(const Algorithm& algorithm, const Problem& problem) {
  INFO(algorithm.full_name() << " p=" << problem.ranks << " root=" << problem.root << " radix="
                             << problem.radix << " groups=" << to_text(problem.groups));
  CHECK(verify(make_schedule(algorithm, problem)).proved());
}

// Returns the largest number of messages that a rank sends to other nodes, or receives from them.
std::uint32_t most_between_nodes(const Schedule& schedule, std::uint32_t cores) {
  std::vector<std::uint32_t> sent(schedule.problem().ranks);
  std::vector<std::uint32_t> received(sent.size());
  for (const Op& op : schedule.ops()) {
    const bool between = op.src() / cores != op.dst() / cores;
    sent[op.src()] += between ? 1 : 0;
    received[op.dst()] += between ? 1 : 0;
  }
  return std::max(*std::max_element(sent.begin(), sent.end()),
                  *std::max_element(received.begin(), received.end()));
}

}  // namespace

TEST_CASE("node-aware algorithms are right for groups of any sizes and any radix") {
  std::mt19937 random(20261128);
  const std::vector<const Algorithm*> all = node_aware_algorithms();
  CHECK(all.size() == 10);
  for (const Algorithm* algorithm : all) {
    for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
      for (std::uint32_t turn = 0; turn < 8; ++turn) {
        Problem problem = problem_of(*algorithm, ranks, 2 * ranks + turn);
        problem.root = has_root(problem.collective) ? static_cast<Rank>(random() % ranks) : 0;
        problem.radix = turn < 4 ? 0 : 2 + static_cast<std::uint32_t>(random() % 8);
        problem.groups = random_groups(ranks, random);
        if (!refuses(*algorithm, problem)) {  // scans need consecutive ranks
          prove(*algorithm, problem);
        }
      }
    }
  }
}

TEST_CASE("node-aware algorithms are right for nodes of every size") {
  for (const Algorithm* algorithm : node_aware_algorithms()) {
    for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
      for (std::uint32_t cores = 1; cores <= ranks; ++cores) {
        Problem problem = problem_of(*algorithm, ranks, ranks + 1, 0);
        problem.root = has_root(problem.collective) ? ranks / 2 : 0;
        problem.ranks_per_node = cores;
        prove(*algorithm, problem);
      }
    }
  }
}

TEST_CASE("each core of a node talks to another node in each phase") {
  // With 8 cores, one phase reaches 9 nodes, and two phases reach 81.
  for (const Algorithm* algorithm : node_aware_algorithms()) {
    for (const std::uint32_t nodes : {2U, 8U, 9U, 16U, 28U, 81U}) {
      Problem problem = problem_of(*algorithm, 8 * nodes, 8 * nodes);
      problem.ranks_per_node = 8;
      INFO(algorithm->full_name() << " nodes=" << nodes);
      CHECK(most_between_nodes(make_schedule(*algorithm, problem), 8) == (nodes <= 9 ? 1 : 2));
    }
  }
}

TEST_CASE("a census takes as many rounds as the lower bound, for any number of ranks and ports") {
  const Algorithm& census = algorithm_named("allreduce/census");
  for (std::uint32_t radix = 2; radix <= 6; ++radix) {
    for (std::uint32_t ranks = 2; ranks <= 130; ++ranks) {
      Problem problem = problem_of(Collective::allreduce, ranks, 3);
      problem.radix = radix;
      CAPTURE(radix, ranks);
      const Schedule schedule = make_schedule(census, problem);
      std::uint32_t rounds = 0;
      for (std::uint64_t reached = 1; reached < ranks; reached *= radix) {
        ++rounds;
      }
      CHECK(schedule.rounds() == rounds);
      CHECK(verify(schedule).proved());
    }
  }
}

}  // namespace tutti::test_nodes
