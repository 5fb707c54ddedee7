// Proves every algorithm on up to 24 ranks, and checks that large schedules are proved in little
// time.
#include <catch2/catch.hpp>

#include <chrono>

#include "schedules/verify/rank_order.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_verify_scale {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns a schedule in which a chain of ranks passes on `segments` segments. It has only data
// dependencies, so that all segments may be in flight at a rank at once, which makes the proof
// expensive.
Schedule pipeline(std::uint32_t ranks, std::uint32_t segments) {
  Problem problem = small_problem(Collective::bcast, ranks, segments);
  ScheduleBuilder builder(problem, segments);
  std::vector<OpId> last(segments, kNoOp);
  for (Rank rank = 0; rank + 1 < ranks; ++rank) {
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
      last[segment] = builder.comm({rank, segment}, rank, rank + 1, {{segment, 1}, kWork, kWork},
                                   std::array{last[segment]});
    }
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("every algorithm is proved for every p that it supports, and matches its declarations") {
  for (const Algorithm* algorithm : algorithms()) {
    for (std::uint32_t p = 1; p <= 24; ++p) {
      for (Rank root = 0; root < (has_root(algorithm->collective) ? p : 1); ++root) {
        Problem problem = problem_for(*algorithm, p);
        problem.root = root;
        if (refuses(*algorithm, problem)) {
          continue;
        }
        CAPTURE(algorithm->full_name(), p, root);
        VerifyOptions options;
        options.claims = claims_of(*algorithm, problem);
        const Verdict verdict = verify(make_schedule(*algorithm, problem), options);
        INFO(all_texts(verdict));
        CHECK(verdict.proved());
        CHECK(verdict.claims_hold());
        CHECK(verdict.bytes_sent >= verdict.bytes_lower_bound);
      }
    }
  }
}

TEST_CASE("ring on 256 ranks, 195840 operations, is proved within seconds") {
  const Algorithm& algorithm = algorithm_named("allreduce/ring");
  const Schedule schedule = make_schedule(algorithm, problem_for(algorithm, 256));
  REQUIRE(schedule.size() == 195840);
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = verify(schedule);
  CHECK(seconds_since(start) < 10);
  CHECK(verdict.proved());
  CHECK(verdict.searches == 0);  // each rank's own dependencies decide every order
}

TEST_CASE("hundreds of segments in flight at every rank are proved quickly") {
  const Schedule schedule = pipeline(64, 800);
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = verify(schedule);
  CHECK(seconds_since(start) < 10);
  CHECK(verdict.proved());
  CHECK(verdict.searches == 0);
}

TEST_CASE("a root with a message in flight from every rank is proved quickly") {
  const Algorithm& algorithm = algorithm_named("allreduce/basic_linear");
  const Schedule schedule = make_schedule(algorithm, problem_for(algorithm, 1000));
  REQUIRE(schedule.scratch_slots() == 999);
  const auto start = std::chrono::steady_clock::now();
  CHECK(verify(schedule).proved());
  CHECK(seconds_since(start) < 10);
}

TEST_CASE("a large schedule with one fault is refused as quickly") {
  const Algorithm& algorithm = algorithm_named("allreduce/ring");
  const Schedule whole = make_schedule(algorithm, problem_for(algorithm, 128));
  OpId id = whole.size() / 3;
  while (whole.op(id).kind() != OpKind::reduce) {
    ++id;
  }
  const Schedule broken = without_dependency(whole, id, whole.predecessors(id)[0]);
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = verify(broken);
  CHECK(seconds_since(start) < 10);
  CHECK(verdict.count(FindingKind::race) >= 1);
}

}  // namespace tutti::test_verify_scale
