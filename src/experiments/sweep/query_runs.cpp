#include "src/experiments/sweep/query_runs.hpp"

#include <fmt/format.h>

#include "schedules/registry.hpp"
#include "src/experiments/sweep/cell_table.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace experiments {

namespace {

// For a reader, crossbars with different numbers of hosts are one platform.
constexpr const char* kMakeRuns = R"(
CREATE TABLE runs AS
WITH
labelled AS (
  SELECT *,
    algorithm || iif(options = '', '', ' ' || options) AS label,
    iif(platform_id GLOB 'crossbar:*', 'crossbar', platform || platform_id) AS site
  FROM cells LEFT JOIN listed USING (collective, algorithm)),
numbered AS (
  SELECT *, dense_rank() OVER (
    ORDER BY collective, site, engine, network_model, ports, ranks_per_host, placement, prices,
      element_bytes, root, version, ranks, bytes, platform_id) AS question
  FROM labelled),
timed AS (
  SELECT *,
    row_number() OVER (ORDER BY question, algorithm, options) AS position,
    differs(time_s, min(time_s) OVER same) AS slower,
    count(time_s) OVER same AS contenders,
    min(instr(effort, ?1) > 0) FILTER (WHERE time_s IS NOT NULL) OVER same AS in_between
  FROM numbered
  WINDOW same AS (PARTITION BY question))
SELECT *, row_number() OVER (
  PARTITION BY question
  ORDER BY time_s IS NULL, slower, iif(slower, 0, ifnull(place, 1e9)), time_s, position) AS rank
FROM timed)";

constexpr const char* kSeveralVersions = R"(
SELECT version, count(*) FROM runs
WHERE (engine, platform_id) IN (
  SELECT engine, platform_id FROM runs GROUP BY engine, platform_id HAVING count(DISTINCT version) > 1)
GROUP BY version ORDER BY version)";

void define_functions(Database& database) {
  database.define("differs", 2, [](std::span<const double> seconds) {
    return differs(seconds[0], seconds[1]) ? 1.0 : 0.0;
  });
  database.define("loss", 6, [](std::span<const double> numbers) {
    const RangedTime time{numbers[0], numbers[1], numbers[2]};
    const RangedTime best{numbers[3], numbers[4], numbers[5]};
    return best.seconds > 0 && differs(time.seconds, best.seconds) && !level_within_ties(time, best)
               ? time.seconds / best.seconds - 1
               : 0;
  });
}

// Makes the table `listed` with the place of each algorithm in 'tutti list'.
void add_list(Database& database) {
  database.run("CREATE TABLE listed (collective, algorithm, place)");
  Statement add(database, "INSERT INTO listed VALUES (?1, ?2, ?3)");
  std::int64_t place = 0;
  for (const Algorithm* algorithm : algorithms()) {
    add.bind(1, name(algorithm->collective));
    add.bind(2, algorithm->name);
    add.bind(3, place++);
    add.run();
  }
}

}  // namespace

Database query_runs(const std::vector<CellRow>& cells) {
  Database database;
  define_functions(database);
  add_list(database);
  database.run(fmt::format("CREATE TABLE cells ({}, time_s, below_s, above_s, bound_s, of_limit)",
                           all_columns())
                   .c_str());
  Statement add(
      database,
      fmt::format("INSERT INTO cells VALUES ({})",
                  fmt::join(std::vector(static_cast<std::size_t>(column_count()) + 5, '?'), ", ")));
  Transaction transaction(database);
  for (const CellRow& cell : cells) {
    bind_row(add, cell, "");
    const auto time = cell.simulated_s ? std::optional(cell.time()) : std::nullopt;
    const auto part = [&time](double RangedTime::*member) {
      return time ? std::optional((*time).*member) : std::nullopt;
    };
    const std::optional<double> bound_s = bound_of(cell.answer);
    int column = column_count();
    for (const std::optional<double>& number :
         {part(&RangedTime::seconds), part(&RangedTime::below_s), part(&RangedTime::above_s),
          bound_s, time ? of_limit(*time, bound_s) : std::nullopt}) {
      add.bind(++column, number);
    }
    add.run();
  }
  transaction.commit();
  Statement make(database, kMakeRuns);
  make.bind(1, fmt::format("\"{}\":", kBetween));
  make.run();
  database.run("CREATE UNIQUE INDEX by_rank ON runs (question, rank)");
  return database;
}

std::vector<std::pair<std::string, std::int64_t>> several_versions(Database& runs) {
  Statement statement(runs, kSeveralVersions);
  std::vector<std::pair<std::string, std::int64_t>> versions;
  while (statement.step()) {
    versions.emplace_back(statement.text(0), statement.integer(1));
  }
  return versions;
}

}}  // namespace tutti::experiments
