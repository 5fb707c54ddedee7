// Tests that a segment size cuts the vector as an algorithm does without --segment, unless the
// algorithm cuts by count.
#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/experiments/decisions/predictions.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_default_segments {

namespace {

constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0};

double seconds(const Algorithm& algorithm, const Problem& problem) {
  return CriticalPathEngine(kPrices)
      .run(make_schedule(algorithm, problem, Detail::times_only), {})
      .total_s;
}

// Calls `check` for problems of various sizes without a segment size.
template <typename Check>
void for_all_problems(const Algorithm& algorithm, Check&& check) {
  for (const std::uint32_t ranks : {2U, 5U, 8U, 13U}) {
    for (const std::uint64_t elements : {1U, 7U, 100U, 800U, 4096U, 100'000U, 400'001U}) {
      Problem problem;
      problem.collective = algorithm.collective;
      problem.ranks = ranks;
      problem.bytes = elements * problem.element_bytes;
      if (!refuses(algorithm, problem)) {
        check(problem);
      }
    }
  }
}

}  // namespace

TEST_CASE("a segment size makes the default schedule, or the algorithm cuts by count") {
  for (const Algorithm* algorithm : host_algorithms()) {
    if (!takes(*algorithm, Option::segment)) {
      continue;
    }
    const bool by_count = cuts_by_count(*algorithm);
    for_all_problems(*algorithm, [&](const Problem& problem) {
      INFO(algorithm->full_name() << " p=" << problem.ranks << " n=" << problem.bytes);
      const auto bytes = default_segment(*algorithm, problem);
      CHECK((by_count || bytes));
      if (bytes) {
        Problem cut = problem;
        cut.segment_bytes = *bytes;
        CHECK(seconds(*algorithm, cut) == seconds(*algorithm, problem));
      }
    });
  }
}

TEST_CASE("pipelined broadcasts on circulant graphs cut by count") {
  CHECK(cuts_by_count(*find_algorithm(Collective::bcast, "circulant_blocks")));
  CHECK_FALSE(cuts_by_count(*find_algorithm(Collective::reduce_scatter, "circulant_blocks")));
  CHECK_FALSE(cuts_by_count(*find_algorithm(Collective::bcast, "double_tree")));
}

}  // namespace tutti::test_default_segments
