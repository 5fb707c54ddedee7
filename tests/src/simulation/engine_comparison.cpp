#include <catch2/catch.hpp>

#include <limits>

#include "src/simulation/engine_run.hpp"

namespace tutti::test_engine_comparison {

namespace {

Timeline timeline(std::vector<double> end_s) {
  Timeline result;
  result.start_s.assign(end_s.size(), 0);
  result.total_s = end_s.empty() ? 0 : end_s.back();
  result.end_s = std::move(end_s);
  return result;
}

}  // namespace

TEST_CASE("The largest difference counts, relative to the total") {
  const EngineComparison result = compare_engines(timeline({1, 2, 4}), timeline({1, 2.5, 4}), 0);
  CHECK(result.worst == 0.125);
  CHECK(result.op == 1);
  CHECK_FALSE(result.agrees());
  CHECK(compare_engines(timeline({1, 2, 4}), timeline({1, 2, 4}), 0).agrees());
  CHECK(compare_engines(timeline({}), timeline({}), 0).agrees());
}

TEST_CASE("NaN agrees with nothing, at any position") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<double> end_s{1, 2, 4};
    end_s[at] = kNone;
    const EngineComparison result = compare_engines(timeline({1, 2, 4}), timeline(end_s), 0);
    CHECK_FALSE(result.agrees());
    CHECK(result.op == at);
  }
}

TEST_CASE("engines agree up to a tolerance, and the worst operation is named") {
  const Timeline simgrid = timeline({1, 2, 4});
  Timeline flow = timeline({1, 2, 4});
  CHECK(compare_engines(flow, simgrid, 0).worst == 0);
  flow.end_s[1] += 0.9 * EngineComparison::kTolerance * 4;
  CHECK(compare_engines(flow, simgrid, 0).agrees());
  flow.end_s[1] = 2 + 1.1 * EngineComparison::kTolerance * 4;
  flow.start_s[0] = 1e-9;
  const EngineComparison comparison = compare_engines(flow, simgrid, 7);
  CHECK_FALSE(comparison.agrees());
  CHECK(comparison.op == 1);
  CHECK(comparison.worst == Approx(1.1e-6));
  CHECK(comparison.simgrid_total_s == 4);
  CHECK(comparison.simgrid_wall_s == 7);
  CHECK(compare_engines(flow, simgrid, 0, 1e-5).agrees());
}

}  // namespace tutti::test_engine_comparison
