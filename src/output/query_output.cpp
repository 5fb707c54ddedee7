#include "src/output/query_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <variant>

#include "base/field_names.hpp"
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

Json json_of(const SqlValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return Json();
        } else {
          return Json(held);
        }
      },
      value);
}

// Returns a row as JSON. In place of `figures` and `effort`, it has the numbers in these objects.
Json json_of(const SqlRows& rows, const std::vector<SqlValue>& row) {
  Json json;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string& column = rows.columns[i];
    if (column == "equal") {
      json[column] = Json::parse(std::get<std::string>(row[i]));
    } else if (column != "figures" && column != "effort") {
      json[column] = json_of(row[i]);
    } else if (const auto& text = std::get<std::string>(row[i]); !text.empty()) {
      const Json figures = Json::parse(text);
      for (const auto& [key, value] : figures.items()) {
        if (!json.contains(key) && value.is_primitive()) {
          json[key] = value;
        }
      }
    }
  }
  return json;
}

// Joins the rows of the view 'times' that differ only in their algorithms: the times by the name of
// the algorithm, in `times_s`, where every row has all names.
std::vector<Json> with_times(const std::vector<Json>& rows) {
  std::set<std::string> names;
  for (const Json& row : rows) {
    names.insert(row.at("name").get<std::string>());
  }
  std::vector<Json> joined;
  Json last;
  for (Json setting : rows) {
    const auto name = setting.at("name").get<std::string>();
    const Json time = setting.at("time_s");
    for (const char* key : {"name", "time_s", "shared"}) {
      setting.erase(key);
    }
    if (joined.empty() || setting != last) {
      last = setting;
      for (const std::string& each : names) {
        setting["times_s"][each] = nullptr;
      }
      joined.push_back(std::move(setting));
    }
    joined.back()["times_s"][name] = time;
  }
  return joined;
}

std::vector<Json> rows_of(const QueryTable& table) {
  std::vector<Json> rows;
  for (const std::vector<SqlValue>& row : table.rows.rows) {
    rows.push_back(json_of(table.rows, row));
  }
  return table.view == "times" ? with_times(rows) : rows;
}

std::string place_text(const Json& totals, const std::string& name) {
  return fmt::format("p = {}, n = {}", text(totals, (name + "_ranks").c_str()),
                     human_bytes(totals.at(name + "_bytes").get<std::uint64_t>()));
}

std::string losses_summary(const QueryTable& table) {
  const Json totals = json_of(table.totals, table.totals.rows.front());
  const auto count = [&totals](const char* key) { return totals.at(key).get<std::uint64_t>(); };
  std::vector<std::string> lines;
  if (count("judged") > 0) {
    lines.push_back(fmt::format(
        "{} of {} cells listed; over all cells that ran, {} loses {:.1f} % on average, {:.1f} % at "
        "worst ({})",
        table.rows.rows.size(), count("cells"), printable(text(totals, "against")),
        100 * totals.at("sum").get<double>() / static_cast<double>(count("judged")),
        100 * totals.at("worst").get<double>(), place_text(totals, "worst")));
  }
  if (count("in_between") > 0) {
    lines.push_back(
        fmt::format("left out: {} at sizes that 'tutti decide' tried between the requested ones",
                    counted(count("in_between"), "cell")));
  }
  if (count("missing") > 0) {
    lines.push_back(fmt::format(
        "{} not judged: the database lacks the table's choice, such as {} at {}; {} with {} "
        "adds it",
        counted(count("missing"), "cell"), printable(text(totals, "lacking")),
        place_text(totals, "lacking"), shell_command("tutti decide $db"), flag_of("against")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// Returns text for people about all rows, in one or more lines; may be empty.
std::string summary_of(const QueryTable& table, const std::vector<Json>& rows) {
  std::map<std::string, std::size_t> counts;
  const auto count = [&](auto&& text_of) {
    for (const Json& row : rows) {
      ++counts[text_of(row)];
    }
  };
  if (table.view == "cells") {
    count([](const Json& row) { return text(row, "status"); });
    return fmt::format("{}: {} done, {} refused, {} failed", counted(rows.size(), "cell"),
                       counts["done"], counts["refused"], counts["failed"]);
  }
  if (table.view == "best") {
    count([](const Json& row) {
      const std::string options = text(row, "options");
      return text(row, "algorithm") + (options.empty() ? "" : " " + options);
    });
    std::vector<std::string> wins;
    for (const auto& [label, number] : counts) {
      wins.push_back(fmt::format("{} {}", printable(label), number));
    }
    return wins.empty() ? "" : fmt::format("best: {}", fmt::join(wins, ", "));
  }
  if (table.view == "losses") {
    return losses_summary(table);
  }
  const bool shared = std::ranges::any_of(
      table.rows.rows, [](const auto& row) { return row.back() == SqlValue(std::int64_t{1}); });
  return shared ? fmt::format(
                      "each cell shows the best of several segment sizes; {} {} shows one size",
                      flag_of("algorithm"), shell_command("NAME $segment BYTES"))
                : "";
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

std::vector<Column> columns_of(const QueryTable& table, const Json& first) {
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
    for (const auto& [name, value] : first.at("times_s").items()) {
      columns.push_back({name, true, [name = name](const Json& row) {
                           return time_text(row.at("times_s").at(name));
                         }});
    }
  }
  return columns;
}

// Returns a price with its unit: "alpha 2 us" for "alpha=2e-06". Other texts do not change.
std::string price_in_words(std::string_view price) {
  const std::size_t equals = std::min(price.find('='), price.size());
  const std::string_view name = price.substr(0, equals);
  const auto value = parsed_number<double>(price.substr(std::min(equals + 1, price.size())));
  if (!value || !(*value >= 0)) {
    return std::string(price);
  }
  if (name == "alpha") {
    return fmt::format("{} {}", name, human_time(*value));
  }
  if (name == "beta" || name == "gamma" || name == "copy") {
    return fmt::format("{} {}", name, *value == 0 ? "0" : human_rate(1 / *value));
  }
  return name == "eager"
             ? fmt::format("{} {}", name, human_bytes(static_cast<std::uint64_t>(*value)))
             : std::string(price);
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
    const std::string prices = text(row, "prices");
    for (const std::string_view price : split(prices, ',')) {
      parts.push_back(price_in_words(price));
    }
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
  const Json json = {{"schema", "tutti-query/1"}, {"view", table.view}, {"rows", rows_of(table)}};
  write_document(json, 2, out);
}

void write_query_csv(const QueryTable& table, std::ostream& out) {
  write_csv_head(out);
  std::vector<Json> rows = rows_of(table);
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
  const std::vector<Json> rows = rows_of(table);
  std::vector<const Json*> block;
  const std::vector<Column> columns =
      rows.empty() ? std::vector<Column>() : columns_of(table, rows.front());
  for (const Json& row : rows) {
    if (!block.empty() && heading(*block.front()) != heading(row)) {
      print_block(columns, block, table.view == "times", out);
      out << '\n';
    }
    block.push_back(&row);
  }
  if (!block.empty()) {
    print_block(columns, block, table.view == "times", out);
  }
  const std::string summary = summary_of(table, rows);
  std::string_view left = summary;
  std::string_view line;
  out << (rows.empty() || summary.empty() ? "" : "\n");
  while (next_line(left, line)) {
    print_field(out, 0, 0, "", line);
  }
}

}}  // namespace tutti::output
