// The database of a sweep: one row per cell, with all that its result depends on as the key, but
// for the schedule. Of that it keeps the fingerprint: a row counts while the algorithm makes the
// same schedule, whatever else of tutti has changed. The build says for whom nobody need look.
//
// A file of SQLite, table `cells`. Several sweeps may write to it at a time. What was written
// before a crash, of the program or of the machine, is whole: at most the last moment is missing.
//
// A file may also come from a stranger, or have lost a bit. Before a cell of it is believed, SQLite
// checks the pages, the tables have to be those that tutti makes, without a view or trigger beside
// them, and each row has to fit its checksum. A row that does not is not used: readers leave it
// out, writers throw it away.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_answer.hpp"
#include "src/experiments/sweep/database.hpp"

namespace tutti::inline experiments {

// What is known of a cell; where it is not done, the numbers are missing.
struct CellRow {
  CellKey key;
  std::string platform;  // its name, for people
  CellAnswer answer;
  std::optional<double> simulated_s;
  std::optional<double> longest_path_s;
  std::optional<double> exact_s;
  std::optional<double> published_s;
  // Where the case was run again to see whether its time depends on ties.
  std::optional<double> ties_least_s;
  std::optional<double> ties_median_s;
  std::optional<double> ties_most_s;
  std::string schedule;     // its fingerprint, where it is done
  std::string build;        // of tutti: the one that ran it, or found it right, last
  std::string recorded_at;  // UTC: when that was

  [[nodiscard]] bool knows_ties() const { return ties_most_s.has_value(); }
  // To rank by, as RunResult has it. Only of a cell that is done.
  [[nodiscard]] RangedTime time() const;
};

// Calls visit(name, value) with each column of a row that is no part of its key, const or not: the
// one list of them. The table, its statements and its checksums follow from it.
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

// In the effort of a cell whose size nobody asked for: see CaseRun::between.
inline constexpr const char* kBetween = "between";
[[nodiscard]] bool is_between(const CellRow& row);

[[nodiscard]] CellRow row_of(const CellKey& key, const CaseRun& run);

class ResultStore {
 public:
  // Throws UserError for a path that cannot be written, for a file that is something else, and for
  // one whose pages are damaged.
  ResultStore(const std::string& path, Database::Mode mode);

  // Throws UserError for a row that was damaged since the file was opened.
  [[nodiscard]] std::optional<CellRow> find(const CellKey& key);
  // All or none; a row whose key is there already changes nothing, unless that cell had failed, is
  // another build's, or is the first to know of ties.
  void put(const std::vector<CellRow>& rows);
  // Does it within a transaction of the caller's.
  void add(const CellRow& row);
  // Whether somebody else has written since this was last asked.
  [[nodiscard]] bool changed_by_others();

  // The rows for which `where` holds, SQL over the columns ("" for all), whose parameters from 1 on
  // are these. In no order. Damaged ones are left out.
  void for_each(const std::string& where, const std::vector<std::string>& parameters,
                const std::function<void(const CellRow&)>& visit);
  // How many cells there are by the same engine on the same platform, of each other version of it.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> other_versions(
      const CellKey& key);

  // Whether rows were met that are not used: any that does not fit its checksum, and of those
  // visited the ones whose figures are none.
  [[nodiscard]] bool has_damage() const { return damaged_.count > 0; }
  // What a user should know about the rows: a sentence, or "".
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

  // Rows that are not used.
  struct Damaged {
    std::size_t count = 0;
    std::string first;  // which, and what is wrong with it
  };

  Database database_;
  bool writes_;
  Damaged damaged_;
  std::unique_ptr<Statement> find_;
  std::unique_ptr<Statement> put_;
  std::int64_t data_version_ = 0;
};

}  // namespace tutti::inline experiments
