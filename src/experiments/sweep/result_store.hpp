// The database of a sweep, with one row per cell. The key of a row is everything that its result
// depends on, except the schedule. The row has the fingerprint of the schedule instead. A row is
// valid as long as the algorithm makes the same schedule, whatever else has changed in tutti. Rows
// that the running build has written are valid without a check.
//
// The database is an SQLite file with the table `cells`. Several sweeps may write to it at a time.
// After a crash of the program or of the machine, the file is consistent; at most the results of
// the last moment are missing.
//
// A file may come from an untrusted source, or have a flipped bit. Before any cell of it is used,
// SQLite checks the pages. The table `cells` must have the columns that tutti makes, the file must
// not contain views, triggers or virtual tables, and each row must match its checksum. A row that
// does not match is ignored by readers and deleted by writers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_answer.hpp"
#include "src/experiments/sweep/database.hpp"

namespace tutti { inline namespace experiments {

// All that is known about a cell. The times are empty if the cell is not done.
struct CellRow {
  CellKey key;
  std::string platform;  // name of the platform, for display
  CellAnswer answer;
  std::optional<double> simulated_s;
  std::optional<double> longest_path_s;
  std::optional<double> exact_s;
  std::optional<double> published_s;
  // Shortest, median and longest time over several tie-breaking orders, in seconds. Set only if the
  // case was run again to see whether its time depends on ties.
  std::optional<double> ties_least_s;
  std::optional<double> ties_median_s;
  std::optional<double> ties_most_s;
  std::string schedule;     // fingerprint of the schedule, if the cell is done
  std::string build;        // build of tutti that last ran the cell or confirmed its result
  std::string recorded_at;  // time when `build` did so, in UTC

  [[nodiscard]] bool knows_ties() const { return ties_most_s.has_value(); }
  // Returns the time by which cells are ranked, as RunResult::time() does. The cell must be done.
  [[nodiscard]] RangedTime time() const;
};

// Calls visit(name, value) for each column of a row (const or not) that is not part of the key.
// This is the only list of these columns: the table, its statements and its checksums follow from
// it.
template <typename Row, typename Visit>
void for_each_value(Row& row, Visit&& visit) {
  visit("platform", row.platform);
  visit("status", row.answer.status);
  visit("message", row.answer.message);
  visit("refusal", row.answer.refusal);
  visit("pattern", row.answer.pattern);
  visit("simulated_s", row.simulated_s);
  visit("longest_path_s", row.longest_path_s);
  visit("exact_s", row.exact_s);
  visit("published_s", row.published_s);
  visit("ties_least_s", row.ties_least_s);
  visit("ties_median_s", row.ties_median_s);
  visit("ties_most_s", row.ties_most_s);
  visit("figures", row.answer.figures);
  visit("effort", row.answer.effort);
  visit("schedule", row.schedule);
  visit("build", row.build);
  visit("recorded_at", row.recorded_at);
}

[[nodiscard]] CellRow row_of(const CellKey& key, const CaseRun& run);

class ResultStore {
 public:
  // Throws UserError if the path cannot be written, if the file is not a database of results, or if
  // its pages are damaged.
  ResultStore(const std::string& path, Database::Mode mode);

  // Returns the row with this key; empty if there is none. Throws UserError if the row was damaged
  // after the file was opened.
  [[nodiscard]] std::optional<CellRow> find(const CellKey& key);
  // Adds all rows or none. If a row with the same key exists, it is replaced only if its cell had
  // failed, if it is from another build, or if only the new row has times with other tie-breaking
  // orders.
  void put(const std::vector<CellRow>& rows);
  // Adds one row like put(), within a transaction of the caller.
  void add(const CellRow& row);
  // True if another process has written to the database since the last call of this function.
  [[nodiscard]] bool changed_by_others();

  // Visits the rows that satisfy `where`, an SQL condition over the columns ("" for all rows).
  // `parameters` are the values of ?1, ?2, ... in this condition. The order is unspecified. Damaged
  // rows are left out.
  void for_each(const std::string& where, const std::vector<std::string>& parameters,
                const std::function<void(const CellRow&)>& visit);
  // Returns the other versions of the key's engine, each with the number of its cells on the key's
  // platform.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> other_versions(
      const CellKey& key);

  // True if damaged rows were found: rows that do not match their checksums, or visited rows with
  // invalid figures.
  [[nodiscard]] bool has_damage() const { return damaged_.count > 0; }
  // Returns a sentence for the user about damaged rows; "" if there are none.
  [[nodiscard]] std::string remark() const;

  [[nodiscard]] Database& database() { return database_; }

  [[nodiscard]] const std::string& path() const { return database_.path(); }

 private:
  void make_tables();
  void throw_away(const std::vector<std::int64_t>& row_ids);
  [[nodiscard]] std::vector<std::int64_t> find_damaged();
  [[nodiscard]] std::optional<std::string> fault_at(const Statement& statement,
                                                    const CellRow& row) const;
  void note_damage(const CellRow& row, const std::string& fault);

  // Rows that are not used, because they are damaged.
  struct DamageSummary {
    std::size_t count = 0;
    std::string first;  // the first of these rows, and what is wrong with it
  };

  Database database_;
  bool writes_;
  DamageSummary damaged_;
  std::unique_ptr<Statement> find_;
  std::unique_ptr<Statement> put_;
  std::int64_t data_version_ = 0;
};

}}  // namespace tutti::experiments
