#include "src/output/query_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <string_view>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/sweep/query_views.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& row, const char* key) {
  const Json& value = row.at(key);
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

std::string time_text(const Json& value) {
  return value.is_null() ? "-" : human_time(value.get<double>());
}

// Formats the time that is called `name` in the row, with its range if ties matter: "26.56..29.08
// ms".
std::string ranged_text(const Json& row, const std::string& name) {
  const Json& seconds = row.at(name + "_s");
  if (seconds.is_null()) {
    return "-";
  }
  const auto time_s = seconds.get<double>();
  return ranged_time_in_words({time_s, time_s - row.at(name + "_least_s").get<double>(),
                               row.at(name + "_most_s").get<double>() - time_s});
}

std::string cell_time_text(const Json& row) {
  if (row.at("simulated_s").is_null() || row.at("ties_most_s").is_null()) {
    return time_text(row.at("simulated_s"));
  }
  return ranged_time_in_words(
      ranged_time(row.at("simulated_s").get<double>(),
                  {1, 0, row.at("ties_least_s").get<double>(),
                   row.at("ties_median_s").get<double>(), row.at("ties_most_s").get<double>()}));
}

std::string percent_text(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.1f} %", 100 * value.get<double>());
}

std::string bytes_text(const Json& row) {
  return human_bytes(row.at("bytes").get<std::uint64_t>());
}

// Returns the name of an algorithm with its options, from the fields `algorithm` and `options` of
// the row. For a program, adds the first digits of its fingerprint, to distinguish programs with
// the same name: "sockets (program 61db)".
std::string label(const Json& row, const char* algorithm, const char* options) {
  constexpr std::string_view kProgram = "program ";
  constexpr std::size_t kDigits = 4;
  std::string given = text(row, options);
  if (const std::size_t at = given.find(kProgram); at != std::string::npos) {
    given = fmt::format("{}({})", given.substr(0, at), given.substr(at, kProgram.size() + kDigits));
  }
  return text(row, algorithm) + (given.empty() ? "" : " " + given);
}

struct Column {
  std::string title;
  bool right;
  std::function<std::string(const Json&)> text;
};

Column time_column(const std::string& title, const char* key) {
  return {title, true, [key](const Json& row) { return time_text(row.at(key)); }};
}

Column ranged_column(const char* name) {
  return {"simulated", true, [name](const Json& row) { return ranged_text(row, name); }};
}

Column limit_column() {
  return {kOfLimit, true, [](const Json& row) {
            const Json& of_limit = row.at("of_limit");
            return of_limit_in_words(of_limit.is_null() ? std::nullopt
                                                        : std::optional(of_limit.get<double>()));
          }};
}

Column label_column(const char* title, const char* algorithm, const char* options) {
  return {title, false, [=](const Json& row) { return label(row, algorithm, options); }};
}

std::vector<Column> columns_of(const QueryTable& table) {
  std::vector<Column> columns{
      {"p", true, [](const Json& row) { return row.at("ranks").dump(); }},
      {"n", true, bytes_text},
  };
  const Column algorithm = label_column("algorithm", "algorithm", "options");
  if (table.view == "cells") {
    columns.push_back(algorithm);
    columns.push_back({"simulated", true, cell_time_text});
    columns.push_back(limit_column());
    columns.push_back(time_column("longest path", "longest_path_s"));
    columns.push_back(time_column("exact cost", "exact_s"));
    columns.push_back({"", false, [](const Json& row) {
                         // Compares strings instead of JSON values: operator== of JSON is noexcept,
                         // but converts a literal to JSON, which may throw.
                         return text(row, "status") == "done"
                                    ? ""
                                    : text(row, "status") + ": " + text(row, "message");
                       }});
  } else if (table.view == "best") {
    columns.push_back({"best", false, [algorithm](const Json& row) {
                         std::string text = algorithm.text(row);
                         for (const Json& equal : row.at("equal")) {
                           text += " = " + equal.get<std::string>();
                         }
                         return text;
                       }});
    columns.push_back(ranged_column("simulated"));
    columns.push_back(limit_column());
    columns.push_back(label_column("second", "second_algorithm", "second_options"));
    columns.push_back({"slower by", true, [](const Json& row) {
                         const Json& margin = row.at("margin");
                         if (!margin.is_number() || margin.get<double>() >= 5e-4) {
                           return percent_text(margin);
                         }
                         return std::string(margin.get<double>() == 0 ? "0 % (level within ties)"
                                                                      : "< 0.1 %");
                       }});
  } else if (table.view == "losses") {
    columns.push_back(algorithm);
    columns.push_back(ranged_column("simulated"));
    columns.push_back(label_column("best", "best_algorithm", "best_options"));
    columns.push_back(ranged_column("best"));
    columns.push_back({"loses", true, [](const Json& row) {
                         return row.at("loss").is_null() ? "does not run"
                                                         : percent_text(row.at("loss"));
                       }});
  } else {
    for (const auto& [name, value] : table.rows.front().at("times_s").items()) {
      columns.push_back({name, true, [name = name](const Json& row) {
                           return time_text(row.at("times_s").at(name));
                         }});
    }
  }
  return columns;
}

// Returns the heading above a block of rows: the values that all rows of the block share.
std::string heading(const Json& row) {
  std::vector<std::string> parts{text(row, "collective")};
  // Crossbars that differ only in their number of hosts are shown as one platform, without the
  // number: "crossbar:8,bw=...". In a modified database, the part after the comma may be missing.
  const std::string id = text(row, "platform_id");
  parts.push_back(id.starts_with("crossbar:")
                      ? "crossbar" + id.substr(std::min(id.find(','), id.size()))
                      : text(row, "platform"));
  parts.push_back("engine " + text(row, "engine"));
  if (!text(row, "network_model").empty()) {
    parts.push_back(text(row, "network_model"));
  }
  parts.push_back("ports " + text(row, "ports"));
  // If the user gave the hosts, ranks_per_host has no effect.
  if (text(row, "placement").starts_with("hosts ")) {
    parts.push_back(text(row, "placement"));
  } else if (row.at("ranks_per_host") == 1 && (text(row, "placement") == "switch" ||
                                               text(row, "placement").starts_with("random:"))) {
    parts.push_back("placement " + text(row, "placement"));
  } else if (row.at("ranks_per_host") != 1) {
    parts.push_back(
        fmt::format("{} ranks per host, {}", text(row, "ranks_per_host"), text(row, "placement")));
  }
  if (!text(row, "prices").empty()) {
    parts.push_back(text(row, "prices"));
  }
  parts.push_back(fmt::format("{}-byte elements", text(row, "element_bytes")));
  if (row.at("root") != 0) {
    parts.push_back("root " + text(row, "root"));
  }
  parts.push_back("tutti " + text(row, "version"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_block(const std::vector<Column>& columns, std::vector<const Json*>& rows, bool times,
                 std::ostream& out) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<bool> right;
  for (const Column& column : columns) {
    lines[0].push_back(column.title);
    right.push_back(column.right);
  }
  for (const Json* row : rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Column& column : columns) {
      line.push_back(column.text(*row));
    }
  }
  print_heading(out, heading(*rows.front()));
  if (times) {
    print_bands(lines, right, 2, out);
  } else {
    print_columns(std::move(lines), right, 2, out);
  }
  rows.clear();
}

// Returns the row with the most columns, whose keys are the column names of the table.
Json names_of(const std::vector<Json>& rows) {
  Json names = Json::object();
  for (const Json& row : rows) {
    if (row.size() > names.size()) {
      names = row;
    }
  }
  return names;
}

}  // namespace

void write_query_json(const QueryTable& table, std::ostream& out) {
  const Json json = {{"schema", "tutti-query/1"}, {"view", table.view}, {"rows", table.rows}};
  write_document(json, 2, out);
}

void write_query_csv(const QueryTable& table, std::ostream& out) {
  write_csv_head(out);
  std::vector<Json> rows = table.rows;
  for (Json& row : rows) {
    if (row.contains("times_s")) {
      const Json times = row.at("times_s");
      row.erase("times_s");
      row.update(times);
    }
  }
  const Json names = names_of(rows);
  out << csv_names_line(names);
  for (const Json& row : rows) {
    out << csv_values_line(names, row);
  }
}

void print_query(const QueryTable& table, std::ostream& out) {
  std::vector<const Json*> block;
  const std::vector<Column> columns =
      table.rows.empty() ? std::vector<Column>() : columns_of(table);
  for (const Json& row : table.rows) {
    if (!block.empty() && heading(*block.front()) != heading(row)) {
      print_block(columns, block, table.view == "times", out);
      out << '\n';
    }
    block.push_back(&row);
  }
  if (!block.empty()) {
    print_block(columns, block, table.view == "times", out);
  }
  if (!table.summary.empty()) {
    out << (table.rows.empty() ? "" : "\n");
    std::string_view summary = table.summary;
    std::string_view line;
    while (next_line(summary, line)) {
      print_field(out, 0, 0, "", line);
    }
  }
}

}}  // namespace tutti::output
