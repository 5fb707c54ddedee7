// Views of rows that are made by hand, with known answers.
#include "src/experiments/sweep/query_views.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "src/experiments/sweep/query_runs.hpp"

namespace tutti::test_query_views {

namespace {

CellRow cell(const std::string& algorithm, const std::string& options, std::int64_t bytes,
             std::optional<double> simulated_s) {
  CellRow row;
  row.key.version = "flow 3";
  row.key.collective = "allreduce";
  row.key.algorithm = algorithm;
  row.key.options = options;
  row.key.ranks = 8;
  row.key.bytes = bytes;
  row.key.platform_id = "crossbar:8,bw=1Bps";
  row.key.engine = "flow";
  row.platform = "crossbar:8";
  row.answer.status = simulated_s ? CellStatus::done : CellStatus::refused;
  row.answer.message = simulated_s ? "" : "too small";
  row.simulated_s = simulated_s;
  return row;
}

SqlValue value(const SqlRows& rows, std::size_t row, const std::string& column) {
  const auto at = std::ranges::find(rows.columns, column);
  REQUIRE(at != rows.columns.end());
  REQUIRE(row < rows.rows.size());
  return rows.rows[row][static_cast<std::size_t>(at - rows.columns.begin())];
}

SqlValue text(const std::string& words) { return words; }

}  // namespace

TEST_CASE("equally fast rows are in the order of the list, with users' programs at the end") {
  Database runs = query_runs({cell("zebra", "", 64, 1), cell("ring", "", 64, 1),
                              cell("recursive_doubling", "--fold neighbours", 64, 1 + 1e-12),
                              cell("linear", "", 64, std::nullopt),
                              cell("circulant", "--skips sqrt", 64, 1.5)});
  const SqlRows rows = best_view(runs).rows;
  REQUIRE(rows.rows.size() == 1);
  const std::string best = std::get<std::string>(value(rows, 0, "algorithm"));
  const std::string other = best == "ring" ? "recursive_doubling --fold neighbours" : "ring";
  CHECK(value(rows, 0, "equal") == text("[\"" + other + "\",\"zebra\"]"));
  CHECK(value(rows, 0, "second_algorithm") == text("circulant"));
  CHECK(std::get<double>(value(rows, 0, "margin")) == Approx(0.5));
  CHECK(value(rows, 0, "contenders") == SqlValue(std::int64_t{4}));
}

TEST_CASE("a difference that ties may explain is not a margin") {
  CellRow tied = cell("ring", "", 64, 1.1);
  tied.ties_least_s = 0.9;
  tied.ties_median_s = 1.1;
  tied.ties_most_s = 1.2;
  Database runs = query_runs({tied, cell("linear", "", 64, 1)});
  const SqlRows rows = best_view(runs).rows;
  CHECK(value(rows, 0, "second_least_s") == SqlValue(1.1 - (1.1 - 0.9)));
  CHECK(value(rows, 0, "margin") == SqlValue(0.0));
}

TEST_CASE("segment sizes of one algorithm share a name, unless there is only one") {
  Database runs = query_runs({cell("pipeline", "--segment 64 --tree binary", 640, 3),
                              cell("pipeline", "--segment 128 --tree binary", 640, 2),
                              cell("segmented_ring", "--segment 64", 640, 5)});
  const SqlRows rows = times_view(runs).rows;
  REQUIRE(rows.rows.size() == 2);
  CHECK(value(rows, 0, "name") == text("pipeline --tree binary"));
  CHECK(value(rows, 0, "time_s") == SqlValue(2.0));
  CHECK(value(rows, 0, "shared") == SqlValue(std::int64_t{1}));
  CHECK(value(rows, 1, "name") == text("segmented_ring --segment 64"));
}

TEST_CASE("losses of an algorithm leave out sizes between those of a grid") {
  CellRow between = cell("ring", "", 96, 9);
  CellRow faster = cell("linear", "", 96, 3);
  between.answer.effort = faster.answer.effort = R"({"between":1})";
  Database runs = query_runs({cell("ring", "", 64, 3), cell("linear", "", 64, 2),
                              cell("ring", "", 128, std::nullopt), cell("linear", "", 128, 4),
                              cell("ring", "", 256, 5), between, faster});
  const QueryTable table = losses_view(runs, "ring", 0.2);
  REQUIRE(table.rows.rows.size() == 2);
  CHECK(value(table.rows, 0, "loss") == SqlValue(0.5));
  CHECK(value(table.rows, 1, "loss") == SqlValue());
  CHECK(value(table.rows, 1, "message") == text("too small"));
  CHECK(value(table.totals, 0, "cells") == SqlValue(std::int64_t{3}));
  CHECK(value(table.totals, 0, "judged") == SqlValue(std::int64_t{2}));
  CHECK(value(table.totals, 0, "in_between") == SqlValue(std::int64_t{1}));
  CHECK(value(table.totals, 0, "worst_bytes") == SqlValue(std::int64_t{64}));
}

TEST_CASE("an algorithm with several sets of options has no single loss") {
  Database runs = query_runs(
      {cell("circulant", "--skips sqrt", 64, 3), cell("circulant", "--skips halving", 64, 2)});
  CHECK_THROWS_AS(losses_view(runs, "circulant", {}), UserError);
  Database again = query_runs(
      {cell("circulant", "--skips sqrt", 64, 3), cell("circulant", "--skips halving", 64, 2)});
  CHECK(value(losses_view(again, "circulant --skips sqrt", {}).rows, 0, "loss") == SqlValue(0.5));
}

}  // namespace tutti::test_query_views
