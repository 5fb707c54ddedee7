#include "src/experiments/sweep/cell_table.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace tutti::inline experiments {

const char* const kCellTable = R"(
CREATE TABLE IF NOT EXISTS cells (
  version TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  options TEXT NOT NULL,
  root INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  element_bytes INTEGER NOT NULL,
  platform_id TEXT NOT NULL,
  engine TEXT NOT NULL,
  network_model TEXT NOT NULL,
  ports INTEGER NOT NULL,
  ranks_per_host INTEGER NOT NULL,
  placement TEXT NOT NULL,
  prices TEXT NOT NULL,
  platform TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'refused', 'failed')),
  message TEXT NOT NULL,
  refusal TEXT NOT NULL,
  pattern TEXT NOT NULL,
  simulated_s REAL,
  longest_path_s REAL,
  exact_s REAL,
  published_s REAL,
  ties_least_s REAL,
  ties_median_s REAL,
  ties_most_s REAL,
  figures TEXT NOT NULL,
  effort TEXT NOT NULL,
  schedule TEXT NOT NULL,
  build TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  checksum TEXT NOT NULL,
  UNIQUE (collective, ranks, bytes, algorithm, options, platform_id, engine, network_model, ports,
          ranks_per_host, placement, prices, element_bytes, root, version)
);
)";

const char* const kValueColumns =
    "platform, status, message, refusal, pattern, simulated_s, longest_path_s, exact_s, "
    "published_s, ties_least_s, ties_median_s, ties_most_s, figures, effort, schedule, build, "
    "recorded_at";

namespace {

void read(const Statement& statement, int column, std::string& value) {
  value = statement.text(column);
}
void read(const Statement& statement, int column, std::int64_t& value) {
  value = statement.integer(column);
}

CellStatus status_of(const std::string& text) {
  for (const CellStatus status : {CellStatus::done, CellStatus::refused}) {
    if (text == name(status)) {
      return status;
    }
  }
  return CellStatus::failed;
}

// Names and types of the columns that a table has, in order: "root INTEGER, ranks INTEGER".
std::string columns_of(Database& database, const std::string& table) {
  Statement statement(
      database, fmt::format("SELECT name, type, hidden FROM pragma_table_xinfo('{}')", table));
  std::string text;
  while (statement.step()) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", statement.text(0), statement.text(1),
                        statement.integer(2) == 0 ? "" : " computed");
  }
  return text;
}

// What `cells` has.
const std::string& columns_of_cells() {
  static const std::string all = [] {
    std::string text;
    CellKey key;
    for_each_column(key, [&text](std::string_view column, const auto& value) {
      const bool number = std::is_integral_v<std::remove_cvref_t<decltype(value)>>;
      text += fmt::format("{} {}, ", column, number ? "INTEGER" : "TEXT");
    });
    return text +
           "platform TEXT, status TEXT, message TEXT, refusal TEXT, pattern TEXT, simulated_s "
           "REAL, "
           "longest_path_s REAL, exact_s REAL, published_s REAL, ties_least_s REAL, "
           "ties_median_s REAL, ties_most_s REAL, figures TEXT, effort TEXT, "
           "schedule TEXT, build TEXT, recorded_at TEXT, checksum TEXT";
  }();
  return all;
}

}  // namespace

int columns_of_key() {
  CellKey key;
  int count = 0;
  for_each_column(key, [&count](std::string_view, const auto&) { ++count; });
  return count;
}

std::string key_condition() {
  CellKey key;
  std::string text;
  int parameter = 0;
  for_each_column(key, [&](std::string_view column, const auto&) {
    text += fmt::format("{}{}=?{}", parameter == 0 ? "" : " AND ", column, parameter + 1);
    ++parameter;
  });
  return text;
}

void bind_key(Statement& statement, const CellKey& key) {
  int parameter = 0;
  for_each_column(key,
                  [&](std::string_view, const auto& value) { statement.bind(++parameter, value); });
}

CellRow row_at(const Statement& statement) {
  CellRow row;
  int column = 0;
  for_each_column(row.key,
                  [&](std::string_view, auto& value) { read(statement, column++, value); });
  row.platform = statement.text(column++);
  row.answer.status = status_of(statement.text(column++));
  row.answer.message = statement.text(column++);
  row.answer.refusal = statement.text(column++);
  row.answer.pattern = statement.text(column++);
  row.simulated_s = statement.number(column++);
  row.longest_path_s = statement.number(column++);
  row.exact_s = statement.number(column++);
  row.published_s = statement.number(column++);
  row.ties_least_s = statement.number(column++);
  row.ties_median_s = statement.number(column++);
  row.ties_most_s = statement.number(column++);
  row.answer.figures = statement.text(column++);
  row.answer.effort = statement.text(column++);
  row.schedule = statement.text(column++);
  row.build = statement.text(column++);
  row.recorded_at = statement.text(column++);
  return row;
}

const std::string& key_columns() {
  static const std::string text = [] {
    CellKey key;
    std::string names;
    for_each_column(key, [&names](std::string_view column, const auto&) {
      names += (names.empty() ? "" : ", ") + std::string(column);
    });
    return names;
  }();
  return text;
}

void check_cell_table(Database& database) {
  const std::int64_t whose = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (whose != kApplicationId) {
    throw UserError(
        fmt::format("'{}' is a database of something else; give the name of a new "
                    "file, or of one that 'tutti compare --db' has made",
                    database.path()));
  }
  if (version != kSchemaVersion) {
    throw UserError(
        fmt::format("'{}' has tables of make {}; this tutti reads and writes make {}: "
                    "give the name of a new file",
                    database.path(), version, kSchemaVersion));
  }
  {
    Statement statement(database,
                        "SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index') "
                        "OR rootpage IS NULL OR rootpage<=0");
    if (statement.step()) {
      throw UserError(
          fmt::format("'{}' holds the {} '{}', which tutti never makes: somebody has put it there; "
                      "name another "
                      "file",
                      database.path(),
                      statement.text(0) == "table" ? "virtual table" : printable(statement.text(0)),
                      printable(statement.text(1))));
    }
  }
  if (columns_of(database, "cells") != columns_of_cells()) {
    throw UserError(
        fmt::format("'{}' is damaged, or was altered: its table of cells has not the columns that "
                    "tutti gives it; name another, or move it away",
                    database.path()));
  }
  if (database.integer("SELECT count(*) FROM pragma_index_list('cells') WHERE origin='u'") != 1) {
    throw UserError(
        fmt::format("'{}' is damaged, or was altered: nothing keeps a cell from standing in it "
                    "twice; name another, or move it away",
                    database.path()));
  }
}

}  // namespace tutti::inline experiments
