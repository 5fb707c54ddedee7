// tutti query: shows the contents of result databases.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/file_use.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "schedules/collective.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/sweep/query_runs.hpp"
#include "src/experiments/sweep/query_views.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/query_output.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

namespace {

std::array<std::string_view, 4> views() { return {"cells", "best", "times", "losses"}; }
std::array<std::string_view, 3> states() { return {"done", "refused", "failed"}; }

struct QueryOptions {
  std::vector<std::string> databases;
  // Texts that the cells have.
  std::optional<std::string> collective;
  std::optional<std::string> algorithm;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> bytes;
  std::optional<std::string> platform;
  std::optional<std::string> engine;
  std::optional<std::string> status;
  std::optional<std::string> engine_version;
  std::optional<std::string> view;
  std::optional<std::string> against;  // name of an algorithm, or path of a file
  std::optional<ValueWithText<double>> loses_more_than;
  std::optional<std::string> into;  // path of a file
  ResultOptions results;
};

// An SQL condition, and the values of its parameters ?1, ?2, ...
struct Filter {
  std::string where;
  std::vector<std::string> parameters;

  void add(const std::string& condition) {
    where += (where.empty() ? "" : " AND ") + fmt::format("({})", condition);
  }
  // Adds a condition with one SQL parameter, whose value is `parameter`. The number of the SQL
  // parameter replaces "{}" or "{0}" in `condition`.
  void add(const char* condition, const std::string& parameter) {
    parameters.push_back(parameter);
    add(fmt::format(fmt::runtime(condition), parameters.size()));
  }
};

Filter filter_of(const QueryOptions& options) {
  Filter filter;
  if (options.collective) {
    filter.add("collective=?{}", *options.collective);
  }
  if (options.algorithm) {
    filter.add(
        "?{0} IN (algorithm, collective || '/' || algorithm, "
        "algorithm || ' ' || options, collective || '/' || algorithm || ' ' || options) OR "
        // The algorithm of a program may end with parameters, such as "chains k=2".
        "?{0} || ' ' IN (substr(algorithm, 1, length(?{0}) + 1), "
        "substr(collective || '/' || algorithm, 1, length(?{0}) + 1))",
        *options.algorithm);
  }
  if (!options.ranks.empty()) {
    filter.add(fmt::format("ranks IN ({})", fmt::join(options.ranks, ",")));
  }
  if (!options.bytes.empty()) {
    filter.add(fmt::format("bytes IN ({})", fmt::join(options.bytes, ",")));
  }
  if (options.platform) {
    // Matches the name of a platform, or the first digits of its hash if the user gives at least 6.
    // "crossbar" matches all generated crossbars.
    filter.add(
        "?{0} IN (platform, replace(platform, '.xml', '')) OR "
        "(?{0}='crossbar' AND platform_id LIKE 'crossbar:%') OR "
        "(length(?{0})>=6 AND substr(platform_id, 8, length(?{0}))=?{0})",
        *options.platform);
  }
  if (options.engine) {
    filter.add("engine=?{}", *options.engine);
  }
  if (options.status) {
    filter.add("status=?{}", *options.status);
  }
  if (options.engine_version) {
    filter.add("version=?{}", *options.engine_version);
  }
  return filter;
}

// Prints a warning if there are results from several versions of an engine. The views do not
// compare results from different versions with each other, which the user may not expect.
void say_versions(Database& runs, Messages& messages) {
  std::vector<std::string> texts;
  for (const auto& [version, cells] : several_versions(runs)) {
    texts.push_back(
        fmt::format("{} ({})", version, counted(static_cast<std::uint64_t>(cells), "cell")));
  }
  if (texts.empty()) {
    return;
  }
  messages.warning(fmt::format(
      "there are cells from several versions of an engine: {}; these are not compared with each "
      "other; select one with $engine_version",
      fmt::join(texts, "; ")));
}

double parse_loss(std::string_view from, const std::string& text) {
  std::string number = text;
  if (number.ends_with('%')) {
    number.pop_back();
  }
  return parse_number(from, number) / 100;
}

std::string view_of(const QueryOptions& options) {
  const bool losses = options.against.has_value();
  if (options.loses_more_than && !losses) {
    throw UserError(fmt::format("$loses_more_than '{}': needs $against, such as $against ring",
                                options.loses_more_than->text));
  }
  std::string view = options.view.value_or(losses ? "losses" : "cells");
  if ((view == "losses") != losses) {
    throw UserError(
        losses ? fmt::format("$view '{}': with $against, the only view is losses; leave $view out",
                             view)
               : "$view 'losses': needs $against, such as $against ring");
  }
  return view;
}

// Throws a UserError with the message that no cell matches. The message also lists values that
// occur in the databases, and `remarks`.
[[noreturn]] void refuse_empty(const QueryOptions& options,
                               const std::vector<std::string>& remarks) {
  std::set<std::string> there;
  std::set<std::string> algorithms;
  for (const std::string& path : options.databases) {
    ResultStore store(path, Database::Mode::read);
    store.for_each("", {}, [&](const CellRow& row) {
      algorithms.insert(row.key.algorithm);
      for (const std::string& value :
           {row.key.collective, row.platform, row.key.engine, row.key.version}) {
        there.insert(value);
      }
    });
  }
  const auto listed = [](const std::set<std::string>& all) {
    constexpr std::size_t kMost = 20;
    std::vector<std::string> some(all.begin(), all.end());
    some.resize(std::min(some.size(), kMost));
    return fmt::format("{}{}", fmt::join(some, ", "), all.size() > kMost ? ", ..." : "");
  };
  std::string text =
      there.empty()
          ? fmt::format("{} has no {}cells", fmt::join(options.databases, " and "),
                        remarks.empty() ? "" : "undamaged ")
          : fmt::format("no cell of {} matches; available: {}; algorithms: {}",
                        fmt::join(options.databases, " and "), listed(there), listed(algorithms));
  for (const std::string& remark : remarks) {
    text += "; " + remark;
  }
  throw UserError(text);
}

// Returns the cells that match the options, and only one row for a cell that is in several
// databases. Sets `damaged` to true if a database has damaged rows, which are left out. Throws
// UserError if no cell matches.
std::vector<CellRow> read_rows(const QueryOptions& options, bool& damaged, Messages& messages) {
  std::vector<std::string> remarks;
  const Filter filter = filter_of(options);
  std::vector<CellRow> rows;
  std::set<CellKey> keys;
  for (const std::string& path : options.databases) {
    ResultStore store(path, Database::Mode::read);
    store.for_each(filter.where, filter.parameters, [&](const CellRow& row) {
      if (keys.insert(row.key).second) {
        rows.push_back(row);
      }
    });
    if (std::string remark = store.remark(); !remark.empty()) {
      remarks.push_back(printable(remark));
    }
    damaged = damaged || store.has_damage();
  }
  if (rows.empty()) {
    refuse_empty(options, remarks);
  }
  for (const std::string& remark : remarks) {
    messages.warning(remark);
  }
  return rows;
}

QueryTable table_of(const std::string& view, Database& runs, const QueryOptions& options) {
  if (view == "best") {
    return best_view(runs);
  }
  if (view == "times") {
    return times_view(runs);
  }
  if (view == "losses") {
    return losses_view(
        runs, options.against.value_or(""),
        options.loses_more_than ? std::optional(options.loses_more_than->value) : std::nullopt);
  }
  return cells_view(runs);
}

int query(const QueryOptions& options, Streams streams) {
  const std::string view = view_of(options);
  check_one_standard_output({&options.results.json, &options.results.csv});
  bool damaged = false;
  const std::vector<CellRow> rows = read_rows(options, damaged, streams.messages);
  Database runs = query_runs(rows);
  const QueryTable table = table_of(view, runs, options);
  say_versions(runs, streams.messages);
  OptionalOutput json_file("$json", options.results.json, kJsonFile, streams.out);
  OptionalOutput csv_file("$csv", options.results.csv, kCsvFile, streams.out);
  if (options.into) {
    for (const std::string& database : options.databases) {
      if (same_file(database, *options.into)) {
        throw UserError(
            fmt::format("$into '{}': this database is also an input; name another", *options.into));
      }
    }
    ResultStore store(*options.into, Database::Mode::write);
    if (const std::string remark = store.remark(); !remark.empty()) {
      streams.messages.warning(remark);
    }
    store.put(rows);
  }
  write_together({{json_file, [&](std::ostream& out) { write_query_json(table, out); }},
                  {csv_file, [&](std::ostream& out) { write_query_csv(table, out); }}});
  if (options.results.json != "-" && options.results.csv != "-") {
    print_query(table, streams.out);
  }
  return damaged ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action add_query(Command& app, Streams streams) {
  Command& command = app.add_command("query", "Query the results in a database");
  auto options = std::make_shared<QueryOptions>();
  command
      .add_option("databases", options->databases,
                  "One or more files written by 'tutti compare', 'decide' or 'score' with --db")
      .type_name("FILE")
      .required();
  const OptionGroup which(command, "Which cells");
  which.add("--collective", options->collective, "COLLECTIVE", "Only this collective");
  which.add("--algorithm", options->algorithm, "NAME",
            "Only this algorithm, such as ring or 'circulant --skips sqrt'");
  which.add("-p,--ranks", options->ranks, "COUNT", kRanksHelp, AsCounts());
  which.add("-n,--bytes", options->bytes, "SIZE", kSizesHelp, parse_sizes);
  which.add("--platform", options->platform, "NAME",
            "Only this platform: its file's name, the first digits of its hash, or crossbar");
  which.add("--engine", options->engine, "NAME", "Only this engine, such as flow or simgrid");
  which.add("--status", options->status, "STATUS", "Only this status: done, refused or failed",
            AsWord<states>());
  which.add("--engine-version", options->engine_version, "VERSION",
            "Only results of this engine version, written as in the field 'version' of --json "
            "output, such as 'flow 1'");
  const OptionGroup how(command, "How to show the cells");
  how.add("--view", options->view, "NAME",
          "cells [default]: one by one; best: the fastest for each p and n; times: for each p, "
          "time over n; losses: the time that --against loses against the best",
          AsWord<views>());
  how.add(
      "--against", options->against, "NAME|FILE",
      "Show the losses of this algorithm, or of the choices in this decision table or rule file");
  how.add("--loses-more-than", options->loses_more_than, "PERCENT",
          "Only cells in which --against loses more than this, such as 20%", parse_loss);
  OptionGroup(command, "Output")
      .add("--into", options->into, kResultsFile,
           "Database to which the matching cells are added, to merge several databases");
  options->results.add_to(command);
  command.add_examples({"tutti query results.db --view best",
                        "tutti query results.db --view times -p 64 --csv -",
                        "tutti query results.db --against ring --loses-more-than 20%"});
  return [options, streams] { return query(*options, streams); };
}

}}  // namespace tutti::commands
