// Tests how a decision divides the sizes into intervals, and how it finds and rounds the
// boundaries. The times in these tests are invented.
#include "src/experiments/decisions/decision_search.hpp"

#include <catch2/catch.hpp>

#include <optional>

#include "src/experiments/compare/tie_runs.hpp"

namespace tutti::test_decision_search {

namespace {

CandidateTime timed(double seconds) {
  CandidateTime time;
  time.state = CandidateTime::State::timed;
  time.seconds = seconds;
  return time;
}

TimedCell cell(std::uint64_t bytes, const std::vector<double>& seconds) {
  TimedCell made;
  made.bytes = bytes;
  for (const double each : seconds) {
    made.times.push_back(each > 0 ? timed(each) : CandidateTime{});
  }
  return made;
}

std::vector<SizeInterval> intervals(const std::vector<TimedCell>& cells, double tolerance,
                                    std::optional<std::size_t> at_most = {}) {
  std::vector<const TimedCell*> pointers;
  for (const TimedCell& each : cells) {
    pointers.push_back(&each);
  }
  return intervals_of(pointers, {tolerance, at_most});
}

}  // namespace

TEST_CASE("a boundary stays if it saves the tolerance, over the whole range") {
  // A single rule loses 4 % and 10 % in two of three cells, 4.7 % on average.
  const std::vector<TimedCell> cells{cell(8, {1, 2}), cell(16, {1.04, 1}), cell(32, {1.1, 1})};
  const auto strict = intervals(cells, 0);
  REQUIRE(strict.size() == 2);
  CHECK(strict[0].candidate == 0);
  CHECK(strict[1].from_bytes > 8);
  CHECK(strict[1].from_bytes <= 16);
  CHECK(intervals(cells, 0.04).size() == 2);
  const auto lenient = intervals(cells, 0.05);
  REQUIRE(lenient.size() == 1);
  CHECK(lenient[0].candidate == 0);
}

TEST_CASE("at most N rules: those that lose least") {
  // A different candidate is the best in each cell. Without its best candidate, the middle cell
  // loses least.
  const std::vector<TimedCell> cells{cell(8, {1, 3, 2}), cell(16, {1.2, 1.2, 1}),
                                     cell(32, {3, 1, 2})};
  CHECK(intervals(cells, 0).size() == 3);
  const auto two = intervals(cells, 0, 2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].candidate == 0);
  CHECK(two[1].candidate == 1);
  const auto one = intervals(cells, 0, 1);
  REQUIRE(one.size() == 1);
  // In the three cells, candidate 2 loses 100 %, 0 % and 100 %; candidate 0 loses 0 %, 20 % and
  // 200 %.
  CHECK(one[0].candidate == 2);
}

TEST_CASE("a tie keeps the neighbour's choice, and the least loss decides within an interval") {
  // The second candidate ties in the first cell, and is the best in the others.
  const auto found = intervals({cell(8, {1, 1, 3}), cell(16, {2, 1, 3}), cell(32, {2, 1, 3})}, 0);
  REQUIRE(found.size() == 1);
  CHECK(found[0].candidate == 1);
  // All three candidates are always within the tolerance; the third has the best sum.
  const auto least = intervals({cell(8, {1.04, 1, 1.01}), cell(16, {1, 1.04, 1.01})}, 0.05);
  REQUIRE(least.size() == 1);
  CHECK(least[0].candidate == 2);
}

TEST_CASE("within ties no rule changes, and the smaller median is kept") {
  // From 16 bytes on, the second candidate is 3 % faster than the first, but its own times vary by
  // more than that. The third is clearly slower.
  std::vector<TimedCell> cells{cell(8, {1, 1.5, 3}), cell(16, {1.03, 1, 3}),
                               cell(32, {1.03, 1, 3})};
  for (TimedCell& each : cells) {
    each.times[1].above_s = 0.1;
  }
  for (const double tolerance : {0.0, 0.01}) {
    const auto found = intervals(cells, tolerance);
    REQUIRE(found.size() == 1);
    CHECK(found[0].candidate == 0);
  }
  // If the times of the second candidate vary so little that none reaches the time of the first,
  // the lead of the second counts.
  for (TimedCell& each : cells) {
    each.times[1].above_s = 0.02;
  }
  CHECK(intervals(cells, 0).size() == 2);
  // If one rule serves all cells anyway, the median decides between candidates that tie.
  std::vector<TimedCell> level{cell(8, {1.03, 1}), cell(16, {1.02, 1})};
  for (TimedCell& each : level) {
    each.times[0].below_s = 0.05;
  }
  const auto found = intervals(level, 0.01);
  REQUIRE(found.size() == 1);
  CHECK(found[0].candidate == 1);
  CHECK(loss_of({&level[0], &level[1]}, found).most == 0);
}

TEST_CASE("the second best is the fastest of those that take longer") {
  const TimedCell both = cell(8, {2, 1, 1, 1.5});
  CHECK(both.best() == 1U);
  CHECK(both.equals() == std::vector<std::size_t>{2});
  CHECK(both.second() == 3U);
  CHECK_FALSE(cell(8, {1, 1}).second());
}

TEST_CASE("leaders run again until every possible best or second best is known") {
  const auto leaders = [](std::vector<LeaderTime> times) { return leaders_to_run_again(times); };
  using Places = std::vector<std::size_t>;
  CHECK(leaders({}).empty());
  CHECK(leaders({{5, true}}) == Places{0});
  // Candidates near the second best must run again too, not only those near the best.
  CHECK(leaders({{1, true}, {2, true}, {2.15, true}, {2.3, true}}) == Places{0, 1, 2});
  // Candidates whose median is known do not run again. The first has a known median of 3, so all
  // others are faster.
  CHECK(leaders({{3, false}, {2, false}, {2.15, true}, {2.3, true}, {2.4, true}}) == Places{2, 3});
  CHECK(leaders({{1, false}, {2, false}, {4, true}}).empty());
}

TEST_CASE("no rule is slower than the baseline by more than the allowed amount") {
  std::vector<TimedCell> cells{cell(8, {1, 0.5}), cell(16, {1, 2}), cell(32, {1, 0.5})};
  const auto free = intervals(cells, 0.4);
  REQUIRE(free.size() == 1);
  CHECK(free[0].candidate == 1);  // although it is twice as slow as candidate 0 at 16 bytes
  for (TimedCell& each : cells) {
    each.baseline = 0;
    each.at_most_s = 1.01;
  }
  const auto held = intervals(cells, 0.1);
  REQUIRE(held.size() == 3);
  CHECK(held[0].candidate == 1);
  CHECK(held[1].candidate == 0);
  CHECK(held[2].candidate == 1);
  CHECK_FALSE(moved_to({&cells[0], &cells[1], &cells[2]}, free));
  const auto few = intervals(cells, 0.4, 1);
  REQUIRE(few.size() == 1);
  CHECK(few[0].candidate == 0);
  // If the time of the baseline is unknown, only the baseline is allowed.
  std::vector<TimedCell> unknown{cell(8, {0, 0.5})};
  unknown[0].baseline = 0;
  unknown[0].at_most_s = 0;
  CHECK(intervals(unknown, 0)[0].candidate == 0);
}

TEST_CASE("losses are weighted by the logarithm of the size") {
  // The cell at 1024 bytes has almost as much weight as the two cells before it together.
  const std::vector<TimedCell> cells{cell(8, {1, 1.1}), cell(32, {1, 1.1}), cell(1024, {1.5, 1})};
  std::vector<const TimedCell*> pointers;
  for (const TimedCell& each : cells) {
    pointers.push_back(&each);
  }
  const auto one = intervals_of(pointers, {1, {}});
  REQUIRE(one.size() == 1);
  CHECK(one[0].candidate == 1);
  const RulesLoss loss = loss_of(pointers, one);
  // The sizes are 2 and 5 doublings apart. The weights are 2, (2 + 5) / 2 and 5, in total 10.5.
  CHECK(loss.mean == Approx(0.1 * 5.5 / 10.5));
  CHECK(loss.most == Approx(0.1));
  REQUIRE(loss.worst != nullptr);
  CHECK(loss.worst->bytes < 1024);
}

TEST_CASE("sizes of the grid keep their weight if cells are added beside them") {
  const auto added = [](std::uint64_t bytes, const std::vector<double>& seconds) {
    TimedCell made = cell(bytes, seconds);
    made.on_grid = false;
    return made;
  };
  // The rule for the largest size decides all larger sizes, too.
  const auto above = intervals(
      {cell(8, {1, 1.02}), cell(16, {1, 1.02}), added(31, {1, 1.02}), cell(32, {1.05, 1})}, 0.005);
  REQUIRE(above.size() == 2);
  CHECK(above[1].candidate == 1);
  // Sizes of a program may be exceptions, such as powers of two.
  const auto inside = intervals({cell(8, {1, 1.1}), added(15, {1, 1.1}), cell(16, {1.1, 1}),
                                 added(17, {1, 1.1}), cell(32, {1, 1.1})},
                                0.005);
  REQUIRE(inside.size() == 3);
  CHECK(inside[1].candidate == 1);
}

TEST_CASE("rules of two numbers of ranks end after the second one, also if they are equal") {
  std::vector<Candidate> candidates(1);
  candidates.front().choice.algorithm = "ring";
  std::vector<RankDecision> decisions(2);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    decisions[i].ranks = i == 0 ? 8 : 16;
    decisions[i].intervals.emplace_back();
  }
  const auto steps = [&] {
    return steps_of(decisions, candidates, [](const RankDecision&, std::size_t) { return ""; });
  };
  CHECK(steps().size() == 1);
  decisions.back().ends_at = {64};
  REQUIRE(steps().size() == 2);
  CHECK(steps().back().from_ranks == 17);
  CHECK(steps().back().sizes.front().choice.left_to_library);
}

TEST_CASE("rules move to a neighbouring number of ranks, unless a choice has no time there") {
  const std::vector<TimedCell> here{cell(8, {1, 2}), cell(64, {2, 1})};
  const auto rules = intervals(here, 0);
  REQUIRE(rules.size() == 2);
  const std::vector<TimedCell> there{cell(8, {1, 2}), cell(64, {2, 1.5})};
  const auto moved = moved_to({&there[0], &there[1]}, rules);
  REQUIRE(moved);
  CHECK(moved->size() == 2);
  const std::vector<TimedCell> without{cell(8, {1, 0}), cell(64, {2, 0})};
  CHECK_FALSE(moved_to({&without[0], &without[1]}, rules));
}

TEST_CASE("cells without results belong to their neighbours") {
  const auto found = intervals({cell(8, {0, 0}), cell(16, {1, 2}), cell(32, {0, 0})}, 0);
  REQUIRE(found.size() == 1);
  CHECK(found[0].from_bytes == 0);
  CHECK(intervals({cell(8, {0, 0})}, 0).empty());
}

TEST_CASE("a different segment size is a different rule") {
  std::vector<TimedCell> cells{cell(1024, {1}), cell(4096, {1}), cell(16384, {1})};
  cells[0].times[0].segment_bytes = 1024;  // a single segment
  cells[1].times[0].segment_bytes = 512;
  cells[2].times[0].segment_bytes = 512;
  const auto found = intervals(cells, 0);
  REQUIRE(found.size() == 2);
  CHECK(found[0].segment_bytes == 0);
  CHECK(found[1].segment_bytes == 512);
}

TEST_CASE("boundaries are found by bisection, to the requested precision") {
  // The times of the first two candidates are equal at 10,000 bytes. The third candidate is the
  // best only between 9,000 and 11,000 bytes, where the grid has no cell.
  const auto times = [](std::uint64_t bytes) {
    const auto n = static_cast<double>(bytes);
    return cell(bytes, {1 + n / 1e4, 1.5 + n / 2e4, n > 9000 && n < 11000 ? 1.5 : 9});
  };
  std::vector<RankDecision> decisions(1);
  decisions[0].ranks = 4;
  decisions[0].cells = {times(1024), times(65536)};
  std::size_t added = 0;
  SearchTiming timing;
  timing.time = [&](const std::vector<TimedCell*>& cells) {
    for (TimedCell* each : cells) {
      CHECK(each->bytes % 8 == 0);
      CHECK_FALSE(each->on_grid);
      each->times = times(each->bytes).times;
      ++added;
    }
  };
  search_decisions(decisions, {{}, 0.05, 8}, timing);
  const std::vector<SizeInterval>& found = decisions.front().intervals;
  REQUIRE(found.size() >= 2);
  CHECK(found.front().candidate == 0);
  CHECK(found.back().candidate == 1);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto after = static_cast<double>(found[i].after_bytes);
    const auto by = static_cast<double>(found[i].by_bytes);
    CHECK(by <= 1.06 * after);  // the requested 5 %, and 1 % because sizes are whole elements
  }
  // The boundary is rounded to a nearby simple number: 8192 and 12288 are the nearest.
  CHECK(found.back().from_bytes >= 8192);
  CHECK(found.back().from_bytes <= 12288);
  CHECK(added < 25);
}

TEST_CASE("the roundest number between two bounds is found") {
  CHECK(roundest(60'000, 66'000) == 65'536);
  CHECK(roundest(7, 8) == 8);
  CHECK(roundest(8, 9) == 9);
  CHECK(roundest(1000, 1030) == 1024);
  CHECK(roundest(0, 1) == 1);
}

}  // namespace tutti::test_decision_search
