// Tests schedules whose times depend on the last digit, so that no engine that calculates in
// doubles can compute them. In pipelines of many small segments over routes of unequal length, a
// message that is slightly late delays a message of lower weight by several times this lateness.
// The delay grows from segment to segment, until a difference in the sixteenth digit decides which
// message gets a port first.
#include <catch2/catch.hpp>

#include <sstream>

#include "sim/isolated_process.hpp"
#include "tests/sim/judge/from_simgrid.hpp"
#include "tests/sim/judge/random_platform.hpp"
#include "tests/sim/judge/simgrid_judged.hpp"

namespace tutti::test_simgrid_chaos {

namespace {

std::string small_dragonfly_xml() {
  Dragonfly dragonfly;
  dragonfly.groups = dragonfly.chassis = dragonfly.routers = dragonfly.nodes = 2;
  dragonfly.link = {.latency_s = 1e-6, .bandwidth_bytes_per_s = 1e9};
  return to_xml(dragonfly);
}

// Returns the result of ask(platform, made), called in a child process. `made` broadcasts `bytes`
// bytes to 16 ranks over a split binary tree, and `platform` is a small dragonfly.
template <typename Ask>
std::vector<double> ask_of_split_tree(std::uint64_t bytes, Ask&& ask) {
  const PlatformFile file("chaos", small_dragonfly_xml());
  RandomCase made;
  made.algorithm = &algorithm_named("bcast/split_binary_tree");
  made.problem = problem_of(Collective::bcast, 16, bytes / 8);
  made.problem.segment_bytes = 1024;
  made.mapping.ranks = 16;
  std::istringstream words(run_in_child([&](ParentLink&) {
                             SimGridPlatform platform({.file = file.path(), .crossbar = {}},
                                                      "hockney", {}, Updates::pointed_out);
                             std::string text;
                             for (const double value : ask(platform, made)) {
                               text += fmt::format("{:.17g} ", value);
                             }
                             return text;
                           }).bytes);
  std::vector<double> values;
  for (double value = 0; words >> value;) {
    values.push_back(value);
  }
  return values;
}

std::vector<double> totals_s(SimGridPlatform& platform, const RandomCase& made,
                             std::initializer_list<Arithmetic> arithmetics) {
  const Schedule schedule = make_schedule(*made.algorithm, made.problem, Detail::times_only);
  const JudgePlatform plain =
      judge_platform(platform, platform.place(made.mapping, {}, 8), schedule, 0);
  std::vector<double> totals;
  for (const Arithmetic arithmetic : arithmetics) {
    totals.push_back(judge(schedule, made.setup, plain, arithmetic).timeline.total_s);
  }
  return totals;
}

}  // namespace

TEST_CASE("chaos: a change of 1e-12 moves a split binary tree in small segments by a thousandth") {
  const std::vector<double> found =
      ask_of_split_tree(256 << 10, [](SimGridPlatform& platform, const RandomCase& made) {
        const Judged judged = judge_case(platform, made);
        std::vector<double> values =
            totals_s(platform, made, {Arithmetic::quad, Arithmetic::digits_100});
        values.push_back(judged.nudged);
        values.push_back(judged.hangs_on_rounding() ? 1 : 0);
        values.push_back(judged.verdict.nearest_border);
        return values;
      });
  REQUIRE(found.size() == 5);
  CHECK(found[0] == Approx(found[1]).epsilon(1e-12));  // quad and 100 digits agree
  CHECK(found[2] > 1e-3);
  CHECK(found[3] == 1);
  // No event is close to the end of an instant, so the cause is not a tie.
  CHECK(found[4] > kNoTie);
}

TEST_CASE("chaos: 1 MiB in segments of 1 KiB needs more than 34 digits", "[slow]") {
  const std::vector<double> found =
      ask_of_split_tree(1 << 20, [](SimGridPlatform& platform, const RandomCase& made) {
        std::vector<double> values = totals_s(
            platform, made, {Arithmetic::quad, Arithmetic::digits_100, Arithmetic::digits_400});
        const Judged judged = judge_case(platform, made);
        values.push_back(judged.flow.total_s);
        values.push_back(judged.simgrid ? judged.simgrid->total_s : 0);
        return values;
      });
  REQUIRE(found.size() == 5);
  CHECK(found[1] == Approx(found[2]).epsilon(1e-12));
  CHECK(found[1] == Approx(9.17770349615456e-3).epsilon(1e-12));
  for (const std::size_t other : {0U, 3U, 4U}) {
    CHECK(found[other] != Approx(found[1]).epsilon(1e-4));
  }
}

}  // namespace tutti::test_simgrid_chaos
