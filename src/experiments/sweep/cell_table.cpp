#include "src/experiments/sweep/cell_table.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace tutti::inline experiments {

namespace {

template <typename Visit>
void for_each_column_of(CellRow& row, Visit&& visit) {
  for_each_column(row.key, visit);
  for_each_value(row, visit);
}

constexpr const char* kChecksum = "checksum";

// Returns the SQL type of a column whose values have the type of the argument.
const char* type_of(const std::string&) { return "TEXT"; }
const char* type_of(std::int64_t) { return "INTEGER"; }
const char* type_of(const std::optional<double>&) { return "REAL"; }
const char* type_of(CellStatus) { return "TEXT"; }

template <typename Value>
const char* rule_of(const Value&) {
  return " NOT NULL";
}
const char* rule_of(const std::optional<double>&) { return ""; }
const char* rule_of(CellStatus) {
  return " NOT NULL CHECK (status IN ('done', 'refused', 'failed'))";
}

CellStatus status_of(const std::string& text) {
  for (const CellStatus status : {CellStatus::done, CellStatus::refused}) {
    if (text == name(status)) {
      return status;
    }
  }
  return CellStatus::failed;
}

void read(const Statement& statement, int column, std::string& value) {
  value = statement.text(column);
}
void read(const Statement& statement, int column, std::int64_t& value) {
  value = statement.integer(column);
}
void read(const Statement& statement, int column, std::optional<double>& value) {
  value = statement.number(column);
}
void read(const Statement& statement, int column, CellStatus& value) {
  value = status_of(statement.text(column));
}

template <typename Value>
void bind(Statement& statement, int parameter, const Value& value) {
  statement.bind(parameter, value);
}
void bind(Statement& statement, int parameter, const std::optional<double>& value) {
  value ? statement.bind(parameter, *value) : statement.bind_null(parameter);
}
void bind(Statement& statement, int parameter, CellStatus value) {
  statement.bind(parameter, name(value));
}

// Returns the texts text_of(name, value) of all columns, joined by `between`.
template <typename TextOf>
std::string columns_joined(std::string_view between, TextOf&& text_of) {
  CellRow row;
  std::string text;
  for_each_column_of(row, [&](std::string_view column, const auto& value) {
    const std::string one = text_of(column, value);
    text += (text.empty() || one.empty() ? "" : std::string(between)) + one;
  });
  return text;
}

// Returns the names and types of the columns of a table, in order: "root INTEGER, ranks INTEGER".
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

// Returns the text that columns_of() must return for the table `cells`.
std::string columns_of_cells() {
  return columns_joined(", ",
                        [](std::string_view column, const auto& value) {
                          return fmt::format("{} {}", column, type_of(value));
                        }) +
         fmt::format(", {} TEXT", kChecksum);
}

}  // namespace

std::string make_cell_table() {
  const std::string columns =
      columns_joined(",\n  ", [](std::string_view column, const auto& value) {
        return fmt::format("{} {}{}", column, type_of(value), rule_of(value));
      });
  std::string key;
  CellKey any;
  for_each_column(any, [&key](std::string_view column, const auto&) {
    key += fmt::format("{}{}", key.empty() ? "" : ", ", column);
  });
  return fmt::format(
      "CREATE TABLE IF NOT EXISTS cells (\n  {},\n  {} TEXT NOT NULL,\n  UNIQUE ({})\n);\n",
      columns, kChecksum, key);
}

std::string put_cell() {
  std::string parameters;
  for (int i = 1; i <= column_count(); ++i) {
    parameters += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
  }
  CellRow row;
  std::string values;
  for_each_value(row, [&values](std::string_view column, const auto&) {
    values += fmt::format("{0}=excluded.{0}, ", column);
  });
  return fmt::format(
      "INSERT INTO cells ({0}) VALUES ({1}) ON CONFLICT DO UPDATE SET {2}{3}=excluded.{3} "
      "WHERE cells.status='failed' OR cells.build<>excluded.build OR "
      "(cells.ties_most_s IS NULL AND excluded.ties_most_s IS NOT NULL)",
      all_columns(), parameters, values, kChecksum);
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

void bind_row(Statement& statement, const CellRow& row, std::string_view checksum) {
  bind_key(statement, row.key);
  int parameter = 0;
  for_each_column(row.key, [&parameter](std::string_view, const auto&) { ++parameter; });
  for_each_value(row,
                 [&](std::string_view, const auto& value) { bind(statement, ++parameter, value); });
  statement.bind(++parameter, checksum);
}

const std::string& all_columns() {
  static const std::string text =
      columns_joined(", ",
                     [](std::string_view column, const auto&) { return std::string(column); }) +
      ", " + kChecksum;
  return text;
}

int column_count() {
  CellRow row;
  int count = 1;  // the checksum
  for_each_column_of(row, [&count](std::string_view, const auto&) { ++count; });
  return count;
}

CellRow row_at(const Statement& statement) {
  CellRow row;
  int column = 0;
  for_each_column_of(row, [&](std::string_view, auto& value) { read(statement, column++, value); });
  return row;
}

void check_cell_table(Database& database) {
  const std::int64_t whose = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (whose != kApplicationId) {
    throw UserError(
        fmt::format("'{}' is not a tutti results database; give a new file, or one that 'tutti "
                    "compare --db' made",
                    database.path()));
  }
  if (version != kSchemaVersion) {
    throw UserError(fmt::format(
        "'{}' has format {}, but this tutti reads and writes format {}; give a new file",
        database.path(), version, kSchemaVersion));
  }
  {
    Statement statement(database,
                        "SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index') "
                        "OR rootpage IS NULL OR rootpage<=0");
    if (statement.step()) {
      throw UserError(fmt::format(
          "'{}' contains the {} '{}', which tutti never makes; give another file", database.path(),
          statement.text(0) == "table" ? "virtual table" : printable(statement.text(0)),
          printable(statement.text(1))));
    }
  }
  if (columns_of(database, "cells") != columns_of_cells()) {
    throw UserError(
        fmt::format("'{}' is damaged, or was altered: its table of cells does not have the columns "
                    "that tutti gives it; give another file, or move this one away",
                    database.path()));
  }
  if (database.integer("SELECT count(*) FROM pragma_index_list('cells') WHERE origin='u'") != 1) {
    throw UserError(
        fmt::format("'{}' is damaged, or was altered: its table of cells has no unique key; give "
                    "another file, or move this one away",
                    database.path()));
  }
}

}  // namespace tutti::inline experiments
