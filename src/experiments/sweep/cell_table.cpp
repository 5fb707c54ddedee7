#include "src/experiments/sweep/cell_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/hash.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"

namespace tutti { inline namespace experiments {

namespace {

template <typename Row, typename Visit>
void for_each_column_of(Row& row, Visit&& visit) {
  for_each_column(row.key, visit);
  for_each_value(row, visit);
}

struct Column {
  std::string_view name;
  const char* type;
  const char* rule;
};
Column column_for(std::string_view name, const std::string&) { return {name, "TEXT", " NOT NULL"}; }
Column column_for(std::string_view name, std::int64_t) { return {name, "INTEGER", " NOT NULL"}; }
Column column_for(std::string_view name, const std::optional<double>&) {
  return {name, "REAL", ""};
}
Column column_for(std::string_view name, CellStatus) {
  return {name, "TEXT", " NOT NULL CHECK (status IN ('done', 'refused', 'failed'))"};
}

// All columns of the table: those of the key first, the checksum last.
const std::vector<Column>& table_columns() {
  static const std::vector<Column> all = [] {
    std::vector<Column> made;
    CellRow row;
    for_each_column_of(row, [&made](std::string_view name, const auto& value) {
      made.push_back(column_for(name, value));
    });
    made.push_back(column_for("checksum", std::string()));
    return made;
  }();
  return all;
}

std::size_t key_size() {
  std::size_t size = 0;
  CellKey key;
  for_each_column(key, [&size](std::string_view, const auto&) { ++size; });
  return size;
}

// Returns the texts text_of(column) of `some` columns, joined by `between`.
template <typename TextOf>
std::string joined(std::span<const Column> some, std::string_view between, TextOf&& text_of) {
  std::vector<std::string> texts;
  std::ranges::transform(some, std::back_inserter(texts), text_of);
  return fmt::format("{}", fmt::join(texts, between));
}

std::string column_name(const Column& column) { return std::string(column.name); }

CellStatus status_of(const std::string& text) {
  for (const CellStatus status : {CellStatus::done, CellStatus::refused}) {
    if (text == name(status)) {
      return status;
    }
  }
  return CellStatus::failed;
}

template <typename Value>
void bind(Statement& statement, int parameter, const Value& value) {
  if constexpr (std::is_same_v<Value, CellStatus>) {
    statement.bind(parameter, name(value));
  } else {
    statement.bind(parameter, value);
  }
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

// Returns the text of a value for the checksum. The text is the same on all machines: a double is
// written as its bits.
const std::string& digits(const std::string& text) { return text; }
std::string digits(std::int64_t number) { return std::to_string(number); }
std::string digits(CellStatus status) { return std::string(name(status)); }
std::string digits(const std::optional<double>& number) {
  return number ? fmt::format("{:016x}", std::bit_cast<std::uint64_t>(*number)) : "null";
}

struct Range {
  std::string_view column;
  std::int64_t least;
  std::int64_t most;
};
constexpr Range kRanges[] = {
    {"root", 0, kMostRanks - 1},
    {"ranks", 1, kMostRanks},
    {"bytes", 0, static_cast<std::int64_t>(kMaxMessageBytes)},
    {"element_bytes", 1, std::int64_t{1} << 20U},
    {"ports", 0, UINT32_MAX},
    {"ranks_per_host", 1, UINT32_MAX},
};

void look_at(std::string_view column, const std::string& text, std::string& fault) {
  // Control characters are allowed here, because they are escaped where the text is shown.
  if (!is_utf8(text)) {
    fault = fmt::format("{} is not valid UTF-8", column);
  }
}
void look_at(std::string_view /*column*/, CellStatus /*status*/, std::string& /*fault*/) {}
void look_at(std::string_view column, std::int64_t number, std::string& fault) {
  for (const Range& range : kRanges) {
    if (range.column == column && (number < range.least || number > range.most)) {
      fault = fmt::format("{} is {}; it must be {} to {}", column, number, range.least, range.most);
    }
  }
}
void look_at(std::string_view column, const std::optional<double>& number, std::string& fault) {
  if (number && !(*number >= 0)) {
    fault = fmt::format("{} is {}; a time must be 0 or more", column, *number);
  }
}

}  // namespace

std::string make_cell_table() {
  const std::string defined = joined(table_columns(), ",\n  ", [](const Column& column) {
    return fmt::format("{} {}{}", column.name, column.type, column.rule);
  });
  return fmt::format("CREATE TABLE IF NOT EXISTS cells (\n  {},\n  UNIQUE ({})\n);\n", defined,
                     joined(std::span(table_columns()).first(key_size()), ", ", column_name));
}

std::string put_cell() {
  const std::string values =
      joined(std::span(table_columns()).subspan(key_size()), ", ",
             [](const Column& column) { return fmt::format("{0}=excluded.{0}", column.name); });
  return fmt::format(
      "INSERT INTO cells ({}) VALUES ({}) ON CONFLICT DO UPDATE SET {} "
      "WHERE cells.status='failed' OR cells.build<>excluded.build OR "
      "(cells.ties_most_s IS NULL AND excluded.ties_most_s IS NOT NULL)",
      all_columns(), joined(table_columns(), ", ", [](const Column&) { return "?"; }), values);
}

std::string key_condition() {
  int parameter = 0;
  return joined(std::span(table_columns()).first(key_size()), " AND ", [&](const Column& column) {
    return fmt::format("{}=?{}", column.name, ++parameter);
  });
}

void bind_key(Statement& statement, const CellKey& key) {
  int parameter = 0;
  for_each_column(key,
                  [&](std::string_view, const auto& value) { statement.bind(++parameter, value); });
}

void bind_row(Statement& statement, const CellRow& row, std::string_view checksum) {
  int parameter = 0;
  for_each_column_of(
      row, [&](std::string_view, const auto& value) { bind(statement, ++parameter, value); });
  statement.bind(++parameter, checksum);
}

const std::string& all_columns() {
  static const std::string text = joined(table_columns(), ", ", column_name);
  return text;
}

int column_count() { return static_cast<int>(table_columns().size()); }

CellRow row_at(const Statement& statement) {
  CellRow row;
  int column = 0;
  for_each_column_of(row, [&]<typename Value>(std::string_view, Value& value) {
    if constexpr (std::is_same_v<Value, std::string>) {
      value = statement.text(column);
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = statement.integer(column);
    } else if constexpr (std::is_same_v<Value, CellStatus>) {
      value = status_of(statement.text(column));
    } else {
      value = statement.number(column);
    }
    ++column;
  });
  return row;
}

std::string checksum_of(const CellRow& row) {
  std::string whole;
  for_each_column_of(row, [&whole](std::string_view column, const auto& value) {
    const std::string& text = digits(value);
    whole += fmt::format("{}:{}:{}", column, text.size(), text);
  });
  return hash_of(whole);
}

std::optional<std::string> fault_in(const CellRow& row) {
  std::string fault;
  for_each_column_of(row, [&fault](std::string_view column, const auto& value) {
    if (fault.empty()) {
      look_at(column, value, fault);
    }
  });
  const bool some_ties = row.ties_least_s || row.ties_median_s || row.ties_most_s;
  const bool all_ties = row.ties_least_s && row.ties_median_s && row.ties_most_s;
  if (fault.empty() && some_ties && !(all_ties && row.simulated_s)) {
    fault = "simulated_s, ties_least_s, ties_median_s and ties_most_s are set only in part";
  }
  return fault.empty() ? std::nullopt : std::optional(fault);
}

std::string cell_name(const CellKey& key) {
  constexpr std::size_t kMost = 100;
  return fmt::format("{}, p = {}, n = {}",
                     printable((key.collective + "/" + key.algorithm).substr(0, kMost)), key.ranks,
                     human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(key.bytes, 0))));
}

void check_cell_table(Database& database) {
  const std::int64_t whose = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (whose != kApplicationId) {
    throw UserError(
        fmt::format("'{}' is not a tutti results database; give a new file, or one that {} "
                    "made",
                    database.path(), shell_command("tutti compare $db")));
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
  const std::string expected = joined(table_columns(), ", ", [](const Column& column) {
    return fmt::format("{} {}", column.name, column.type);
  });
  if (columns_of(database, "cells") != expected) {
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

}}  // namespace tutti::experiments
