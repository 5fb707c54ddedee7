// Proves NCCL's trees and its all-to-all on 1 to 9 nodes of 1 to 8 GPUs, with every number of
// cards, and if the last node is not full. The tests over all algorithms try only nodes of 1, 2 and
// 5 ranks. For NCCL's rings, see patterns/nccl_ring.cpp.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <vector>

#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_nccl_nodes {

namespace {

std::vector<const Algorithm*> trees_and_alltoall() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : algorithms()) {
    if (takes(*algorithm, Option::cards) && !takes(*algorithm, Option::ring_order)) {
      found.push_back(algorithm);
    }
  }
  return found;
}

// Returns an empty text if the schedule is proved.
std::string fault(const Algorithm& algorithm, const Problem& problem) {
  const Verdict result =
      verify(make_schedule(algorithm, problem), {.claims = claims_of(algorithm, problem)});
  if (result.findings.empty()) {
    return "";
  }
  return fmt::format("{} on {} ranks, nodes of {} GPUs with {} cards {}: {}", algorithm.full_name(),
                     problem.ranks, problem.ranks_per_node, problem.cards,
                     options_text(algorithm, problem), result.findings.front().text);
}

}  // namespace

namespace {

// Proves all schedules on 1 to 9 nodes, of which the last one has missing(gpus) GPUs less than the
// others. Returns the number of proofs.
std::size_t prove_all(std::uint32_t (*missing)(std::uint32_t gpus)) {
  const std::vector<const Algorithm*> all = trees_and_alltoall();
  REQUIRE(all.size() == 3);
  std::size_t proved = 0;
  for (const Algorithm* algorithm : all) {
    for (std::uint32_t nodes = 1; nodes <= 9; ++nodes) {
      for (std::uint32_t gpus = 1; gpus <= 8; ++gpus) {
        const std::uint32_t ranks = nodes * gpus - missing(gpus);
        // In a vector of this size, the last chunks are shorter than the others.
        Problem problem = problem_of(algorithm->collective, ranks, 3 * ranks + 1);
        problem.ranks_per_node = gpus;
        for (std::uint32_t cards = 1; cards <= gpus; ++cards) {
          problem.cards = cards;
          if (gpus % cards != 0) {
            CHECK(refuses(*algorithm, problem));
            continue;
          }
          for (Problem each : option_variants(*algorithm, problem)) {
            each.ranks_per_node = gpus;
            each.cards = cards;
            REQUIRE_FALSE(refuses(*algorithm, each));
            CHECK(fault(*algorithm, each) == "");
            ++proved;
          }
        }
      }
    }
  }
  return proved;
}

}  // namespace

TEST_CASE("NCCL's trees and its all-to-all are proved on 1 to 9 nodes of 1 to 8 GPUs") {
  CHECK(prove_all([](std::uint32_t) { return 0U; }) > 5000);
}

TEST_CASE("NCCL's trees and its all-to-all are proved if the last node has fewer GPUs") {
  CHECK(prove_all([](std::uint32_t gpus) { return gpus / 2; }) > 5000);
}

TEST_CASE("NCCL's trees and its all-to-all are proved if the last node has one GPU", "[slow]") {
  CHECK(prove_all([](std::uint32_t gpus) { return gpus - 1; }) > 5000);
}

}  // namespace tutti::test_nccl_nodes
