// Every algorithm through each format that can carry it, and back.
#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "src/interchange/chakra.hpp"
#include "src/interchange/goal.hpp"
#include "src/interchange/msccl.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/src/interchange/same_dag.hpp"

using namespace tutti;

namespace {

// 1 ns for each byte reduced, so that the times of calculations are exact.
constexpr Prices kPrices{.alpha_s = 1e-6, .beta_s_per_byte = 1e-9, .gamma_s_per_byte = 1e-9};

std::string goal_text(const RankNodes& nodes) {
  std::ostringstream out;
  write_goal(nodes, out);
  return std::move(out).str();
}

RankNodes through_goal(const RankNodes& nodes) { return parse_goal(goal_text(nodes), "t").nodes; }

RankNodes through_chakra(const RankNodes& nodes) {
  std::vector<std::string> texts;
  for (Rank rank = 0; rank < nodes.ranks; ++rank) {
    std::ostringstream out;
    write_chakra(nodes, rank, out);
    texts.push_back(std::move(out).str());
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return parse_chakra(views, texts).nodes;
}

// Nodes whose calculations take whole microseconds, as in Chakra.
RankNodes in_microseconds(RankNodes nodes) {
  for (RankNode& node : nodes.nodes) {
    if (node.kind == NodeKind::calculation) {
      node.amount = 1000 * (node.amount % 7 + 1);
    }
  }
  return nodes;
}

void check_equal(const RankNodes& a, const RankNodes& b) {
  CHECK(a.ranks == b.ranks);
  CHECK(a.nodes == b.nodes);
  CHECK(a.rows == b.rows);
  CHECK(a.dependencies == b.dependencies);
}

std::vector<std::uint32_t> up_to(std::uint32_t last_ranks) {
  std::vector<std::uint32_t> all(last_ranks - 1);
  std::iota(all.begin(), all.end(), 2U);
  return all;
}

template <typename Visit>
void for_each_schedule(const std::vector<std::uint32_t>& all_ranks, Visit&& visit) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : all_ranks) {
      const Problem problem = problem_of(*algorithm, ranks, std::uint64_t{ranks} * 60);
      if (!refuses(*algorithm, problem)) {
        CAPTURE(algorithm->full_name(), ranks);
        visit(*algorithm, make_schedule(*algorithm, problem));
      }
    }
  }
}

// Number of bytes that each rank sends to each other rank.
std::map<std::pair<Rank, Rank>, std::uint64_t> bytes_of_pairs(const Schedule& schedule) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> bytes;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm() && op.bytes() > 0) {
      bytes[{op.src(), op.dst()}] += op.bytes();
    }
  }
  return bytes;
}

// Writes and reads every algorithm for each number of ranks. Returns the number of schedules.
std::size_t through_msccl(const std::vector<std::uint32_t>& ranks) {
  std::size_t seen = 0;
  std::set<std::string> refused;
  for_each_schedule(ranks, [&](const Algorithm& algorithm, const Schedule& schedule) {
    std::ostringstream out;
    try {
      write_msccl(schedule, algorithm.full_name(), out);
    } catch (const UserError& error) {
      refused.insert(std::string(name(algorithm.collective)));
      const bool expected =
          algorithm.in_network() || !schedule.layout().uniform() ||
          std::string_view(error.what()).find("MSCCL has no") != std::string::npos;
      CHECK(expected);
      return;
    }
    const Problem& problem = schedule.problem();
    const MscclAlgorithm back = read_msccl(
        out.str(), "t", {.bytes = problem.bytes, .element_bytes = problem.element_bytes});
    CHECK(back.notes.empty());
    REQUIRE(back.out_of_place.has_value());
    VerifyOptions options;
    options.work_starts_undefined = true;
    const Verdict verdict = verify(*back.out_of_place, options);
    CHECK(verdict.proved());
    CHECK(bytes_of_pairs(*back.out_of_place) == bytes_of_pairs(schedule));
    if (back.in_place) {
      CHECK(verify(*back.in_place).proved());
      CHECK(bytes_of_pairs(*back.in_place) == bytes_of_pairs(schedule));
    }
    CHECK(verdict.bytes_reduced == schedule.bytes_reduced());
    ++seen;
  });
  // Some or all algorithms of these collectives cannot be carried.
  CHECK(refused.contains("barrier"));
  CHECK(refused.contains("scan"));
  return seen;
}

}  // namespace

TEST_CASE("every algorithm goes through GOAL and Chakra and comes back as the same graph") {
  std::size_t seen = 0;
  for_each_schedule(up_to(17), [&](const Algorithm& algorithm, const Schedule& schedule) {
    if (algorithm.in_network()) {
      return;
    }
    const RankNodes nodes = nodes_of(schedule, kPrices);
    check_equal(through_goal(nodes), nodes);
    const RankNodes rounded = in_microseconds(nodes);
    check_equal(through_chakra(rounded), rounded);
    const Application back =
        application_of(nodes, "t", [](NodeId) { return std::string("a node"); });
    CHECK(back.buffered == 0);
    const auto cost = [](const Op& op) {
      return op.kind() == OpKind::copy ? std::uint64_t{0} : op.bytes();
    };
    CHECK(interchange_tests::signature(back.schedule, cost) ==
          interchange_tests::signature(schedule, cost));
    ++seen;
  });
  CHECK(seen > 2000);
}

TEST_CASE("every algorithm that MSCCL can carry comes back proved") {
  CHECK(through_msccl(up_to(17)) > 1200);
}
