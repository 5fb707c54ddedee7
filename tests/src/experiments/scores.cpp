// Compares scores with those that a published script computed from the same times.
#include "src/experiments/points/scores.hpp"

#include <catch2/catch.hpp>

#include "schedules/registry.hpp"

namespace tutti::test_scores {
namespace {

struct Case {
  const char* cell;
  const char* algorithm;  // "" for the library's own choice
  double measured_ns;
  double predicted_ns;  // 0 if there is no prediction
};

struct ScoreCase {
  std::vector<BenchmarkPoint> points;
  std::vector<std::optional<double>> predicted_s;

  explicit ScoreCase(std::initializer_list<Case> cases) {
    for (const Case& each : cases) {
      BenchmarkPoint& point = points.emplace_back();
      point.cell = each.cell;
      point.machine = each.cell[0] == 'A' ? "first" : "second";
      point.algorithm_text = each.algorithm;
      point.ranks = 4;
      point.bytes = 8192;
      point.algorithm = point.algorithm_text.empty()
                            ? nullptr
                            : find_algorithm(Collective::allreduce, each.algorithm);
      point.measured_s = each.measured_ns * 1e-9;
      predicted_s.push_back(each.predicted_ns > 0 ? std::optional(each.predicted_ns * 1e-9)
                                                  : std::nullopt);
    }
  }
};

ScoreCase known() {
  return ScoreCase{{"A", "ring", 100, 190},
                   {"A", "rabenseifner", 110, 100},
                   {"A", "", 120, 0},
                   {"B", "ring", 100, 100},
                   {"B", "rabenseifner", 190, 100.005},
                   {"B", "", 100, 0},
                   {"C", "ring", 5, 100},
                   {"C", "rabenseifner", 6, 0},
                   {"D", "ring", 100, 100},
                   {"D", "rabenseifner", 150, 99},
                   {"E", "ring", 100, 1}};
}

}  // namespace

TEST_CASE("scores: errors, choices, ties, missing algorithms, and the library's own choice") {
  const ScoreCase scored = known();
  const ScoreCells cells = score_cells(scored.points, {});
  CHECK(cells.choices);
  CHECK(cells.alone.size() == 1);
  CHECK(cells.cells.size() == 4);
  const auto lines = score_lines(scored.points, cells, scored.predicted_s, {&score_groups()[0]});
  REQUIRE(lines.size() == 3);
  REQUIRE(lines[0].score);
  const Score& all = *lines[0].score;
  CHECK(all.cells == 3);
  CHECK(all.points == 6);
  CHECK(all.missing == 1);
  CHECK(all.error == Approx(0.2909944487358056));
  CHECK(all.bias == Approx(0.9534625892455924));
  CHECK(all.in_25 == Approx(0.5));
  CHECK(all.in_2x == Approx(1));
  CHECK(all.best == Approx(1. / 6));
  CHECK(all.near == Approx(0.5));
  CHECK(all.loss == Approx(1.3150842653177481));
  CHECK(all.worst == Approx(1.5));
  CHECK(all.loss_default.value_or(0) == Approx(1.0954451150103321));
  REQUIRE(lines[1].score);
  CHECK(lines[1].value == "first");
  CHECK(lines[1].score->loss == Approx(1.1));
  CHECK(lines[1].score->near == Approx(1));
  REQUIRE(lines[2].score);
  CHECK(lines[2].score->cells == 2);
}

TEST_CASE("scores: left-out cells, and cells with only one algorithm") {
  const ScoreCase scored = known();
  ScoreSelection selection;
  selection.without = {"A", "B"};
  CHECK(score_cells(scored.points, selection).cells.size() == 2);
  selection.only = "D";
  CHECK(score_cells(scored.points, selection).cells.size() == 1);
  selection.largest_ranks = 3;
  CHECK(score_cells(scored.points, selection).cells.empty());
  ScoreSelection single;
  single.only = "E";
  const ScoreCells one = score_cells(scored.points, single);
  CHECK_FALSE(one.choices);
  REQUIRE(one.cells.size() == 1);
  const auto found =
      score(scored.points, one, scored.predicted_s, [](const BenchmarkPoint&) { return true; });
  REQUIRE(found);
  CHECK(found->error == Approx(99));
  CHECK_FALSE(found->loss_default);
}

TEST_CASE("scores: the file's own count of algorithms decides which cells have a choice") {
  ScoreCase scored{{"A", "ring", 100, 100}, {"B", "ring", 100, 100}};
  scored.points[0].choices = 2;
  const ScoreCells cells = score_cells(scored.points, {});
  CHECK(cells.choices);
  REQUIRE(cells.cells.size() == 1);
  CHECK(cells.cells[0].name == "A");
}

}  // namespace tutti::test_scores
