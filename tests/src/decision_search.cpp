// Reigns, boundaries and round numbers, on times that are made up.
#include "src/experiments/decisions/decision_search.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace tutti {

namespace {

CandidateTime timed(double seconds) {
  CandidateTime time;
  time.state = CandidateTime::State::timed;
  time.seconds = seconds;
  return time;
}

TimedCell cell(std::uint64_t bytes, std::vector<double> seconds) {
  TimedCell made;
  made.bytes = bytes;
  for (const double each : seconds) {
    made.times.push_back(each > 0 ? timed(each) : CandidateTime{});
  }
  return made;
}

std::vector<Reign> reigns(const std::vector<TimedCell>& cells, double tolerance) {
  std::vector<const TimedCell*> pointers;
  for (const TimedCell& each : cells) {
    pointers.push_back(&each);
  }
  return reigns_of(pointers, tolerance);
}

}  // namespace

TEST_CASE("a choice is kept while it is within the tolerance") {
  const std::vector<TimedCell> cells{cell(8, {1, 2}), cell(16, {1.04, 1}), cell(32, {1.1, 1})};
  const auto strict = reigns(cells, 0);
  REQUIRE(strict.size() == 2);
  CHECK(strict[0].candidate == 0);
  CHECK(strict[1].from_bytes == 16);
  const auto lenient = reigns(cells, 0.05);
  REQUIRE(lenient.size() == 2);
  CHECK(lenient[1].from_bytes == 32);
  CHECK(reigns(cells, 0.2).size() == 1);
}

TEST_CASE("a tie keeps the neighbour's choice, and the least loss decides within a reign") {
  // The second is level at first, and best later on.
  const auto found = reigns({cell(8, {1, 1, 3}), cell(16, {2, 1, 3}), cell(32, {2, 1, 3})}, 0);
  REQUIRE(found.size() == 1);
  CHECK(found[0].candidate == 1);
  // Both are within the tolerance all along; the third is a little better in sum.
  const auto least = reigns({cell(8, {1.04, 1, 1.01}), cell(16, {1, 1.04, 1.01})}, 0.05);
  REQUIRE(least.size() == 1);
  CHECK(least[0].candidate == 2);
}

TEST_CASE("cells in which nothing runs belong to their neighbours") {
  const auto found = reigns({cell(8, {0, 0}), cell(16, {1, 2}), cell(32, {0, 0})}, 0);
  REQUIRE(found.size() == 1);
  CHECK(found[0].from_bytes == 0);
  CHECK(reigns({cell(8, {0, 0})}, 0).empty());
}

TEST_CASE("another size of segments is another rule") {
  std::vector<TimedCell> cells{cell(1024, {1}), cell(4096, {1}), cell(16384, {1})};
  cells[0].times[0].segment_bytes = 1024;  // uncut
  cells[1].times[0].segment_bytes = 512;
  cells[2].times[0].segment_bytes = 512;
  const auto found = reigns(cells, 0);
  REQUIRE(found.size() == 2);
  CHECK(found[0].segment_bytes == 0);
  CHECK(found[1].segment_bytes == 512);
}

TEST_CASE("boundaries are found by bisection, to what is asked for") {
  // They cross at 10,000 bytes, and a third is best only between 9,000 and 11,000: no cell of the
  // grid shows it.
  const auto times = [](std::uint64_t bytes) {
    const auto n = static_cast<double>(bytes);
    return cell(bytes, {1 + n / 1e4, 1.5 + n / 2e4, n > 9000 && n < 11000 ? 1.5 : 9});
  };
  std::vector<RankDecision> decisions{{4, {times(1024), times(65536)}, {}}};
  std::size_t added = 0;
  search_decisions(decisions, {0, 0.05, 8}, [&](const std::vector<TimedCell*>& cells) {
    for (TimedCell* each : cells) {
      CHECK(each->bytes % 8 == 0);
      CHECK_FALSE(each->on_grid);
      each->times = times(each->bytes).times;
      ++added;
    }
  });
  const std::vector<Reign>& found = decisions.front().reigns;
  REQUIRE(found.size() >= 2);
  CHECK(found.front().candidate == 0);
  CHECK(found.back().candidate == 1);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto after = static_cast<double>(found[i].after_bytes);
    const auto by = static_cast<double>(found[i].by_bytes);
    CHECK(by <= 1.06 * after);  // to 5 %, and an element
    CHECK(found[i].from_bytes > found[i].after_bytes);
    CHECK(found[i].from_bytes <= found[i].by_bytes);
  }
  CHECK(std::abs(static_cast<double>(found.back().from_bytes) - 10000) < 1500);
  CHECK(added < 25);
}

TEST_CASE("the roundest number in between") {
  CHECK(roundest(60'000, 66'000) == 65'536);
  CHECK(roundest(7, 8) == 8);
  CHECK(roundest(8, 9) == 9);
  CHECK(roundest(1000, 1030) == 1024);
  CHECK(roundest(0, 1) == 1);
}

}  // namespace tutti
