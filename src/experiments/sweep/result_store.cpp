#include "src/experiments/sweep/result_store.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/experiments/sweep/cell_table.hpp"
#include "src/simulation/machine.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// True if several machines may share the file system. SQLite's write-ahead log needs memory that
// all writers share, so they must be on one machine. On a shared file system, the rollback journal
// is used instead, with locks on the file.
bool is_shared_file_system(const std::string& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) {
    return true;
  }
  constexpr std::array<unsigned long, 9> kShared{
      0x6969,      // NFS
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x00c36400,  // Ceph
      0x65735546,  // FUSE
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x01021997,  // 9P
  };
  return std::ranges::find(kShared, static_cast<unsigned long>(info.f_type)) != kShared.end();
}

}  // namespace

RangedTime CellRow::time() const {
  return knows_ties()
             ? ranged_time(*simulated_s, {1, 0, *ties_least_s, *ties_median_s, *ties_most_s})
             : RangedTime{*simulated_s};
}

CellRow row_of(const CellKey& key, const CaseRun& run) {
  CellRow row;
  row.key = key;
  row.platform = platform_name(*run.machine);
  row.answer = answer_of(run.outcome, run.between);
  row.build = version_and_build();
  if (const RunResult* result = run.outcome.result()) {
    row.simulated_s = result->simulated_s;
    row.longest_path_s = result->longest_path_s;
    row.schedule = result->schedule;
    if (const TieRange& ties = result->ties; ties.runs > 0) {
      row.ties_least_s = ties.least_s;
      row.ties_median_s = ties.median_s;
      row.ties_most_s = ties.most_s;
    }
    row.exact_s = result->exact_s;
    if (const PublishedCost* published = result->main_published()) {
      row.published_s = published->seconds;
    }
  }
  return row;
}

ResultStore::ResultStore(const std::string& path, Database::Mode mode)
    : database_(path, mode), writes_(mode == Database::Mode::write) {
  if (writes_) {
    make_tables();
  }
  check_cell_table(database_);
  database_.check_pages();
  const std::vector<std::int64_t> damaged = find_damaged();
  if (writes_ && !damaged.empty()) {
    throw_away(damaged);
  }
  find_ = std::make_unique<Statement>(
      database_, fmt::format("SELECT {} FROM cells WHERE {}", all_columns(), key_condition()));
  if (writes_) {
    put_ = std::make_unique<Statement>(database_, put_cell());
  }
}

void ResultStore::make_tables() {
  const std::int64_t whose = database_.integer("PRAGMA application_id");
  if (whose != 0 || database_.integer("SELECT count(*) FROM sqlite_schema") != 0) {
    // Throw UserError before a file of another program is changed.
    check_cell_table(database_);
  }
  database_.run("PRAGMA synchronous=NORMAL");
  database_.run_patiently(is_shared_file_system(database_.path()) ? "PRAGMA journal_mode=DELETE"
                                                                  : "PRAGMA journal_mode=WAL");
  Transaction transaction(database_);
  // Another process may have made the table meanwhile.
  if (database_.integer("PRAGMA application_id") == 0) {
    database_.run(make_cell_table().c_str());
    database_.run(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
    database_.run(fmt::format("PRAGMA user_version={}", kSchemaVersion).c_str());
  }
  transaction.commit();
}

std::optional<std::string> ResultStore::fault_at(const Statement& statement,
                                                 const CellRow& row) const {
  if (statement.text(column_count() - 1) != checksum_of(row)) {
    return "its checksum is wrong";
  }
  return fault_in(row);
}

void ResultStore::note_damage(const CellRow& row, const std::string& fault) {
  if (damaged_.count++ == 0) {
    damaged_.first = fmt::format("{}: {}", cell_name(row.key), fault);
  }
}

std::string ResultStore::remark() const {
  if (damaged_.count > 0) {
    return fmt::format("'{}': {} {} damaged, and {}; the first: {}", path(),
                       counted(damaged_.count, "row"), damaged_.count == 1 ? "is" : "are",
                       writes_ ? "deleted, to be run again" : "not used", damaged_.first);
  }
  return "";
}

// Checks all rows, even those that are not needed, because a row with a damaged key could appear in
// any answer, or be missing from it. Does not use the index, which may be damaged as well.
std::vector<std::int64_t> ResultStore::find_damaged() {
  Statement statement(database_,
                      fmt::format("SELECT {}, rowid FROM cells NOT INDEXED", all_columns()));
  const int row_id = column_count();
  std::vector<std::int64_t> found;
  while (statement.step()) {
    const CellRow row = row_at(statement);
    if (const auto fault = fault_at(statement, row)) {
      note_damage(row, *fault);
      found.push_back(statement.integer(row_id));
    }
  }
  return found;
}

// Deletes damaged rows. First rebuilds the index, because it may still list these rows under the
// keys that they had before the damage.
void ResultStore::throw_away(const std::vector<std::int64_t>& row_ids) {
  Transaction transaction(database_);
  database_.run("REINDEX cells");
  Statement drop(database_, "DELETE FROM cells WHERE rowid=?1");
  for (const std::int64_t row_id : row_ids) {
    drop.bind(1, row_id);
    drop.run();
  }
  transaction.commit();
}

std::optional<CellRow> ResultStore::find(const CellKey& key) {
  find_->reset();
  bind_key(*find_, key);
  std::optional<CellRow> row;
  if (find_->step()) {
    row = row_at(*find_);
    if (const auto fault = fault_at(*find_, *row); fault || row->key != key) {
      throw UserError(fmt::format(
          "'{}' was damaged during this run, at {}: {}; run the same command again, which deletes "
          "such rows and runs their cells",
          database_.path(), cell_name(key), fault.value_or("another row is in its place")));
    }
  }
  find_->reset();
  return row;
}

void ResultStore::put(const std::vector<CellRow>& rows) {
  if (rows.empty()) {
    return;
  }
  Transaction transaction(database_);
  for (const CellRow& row : rows) {
    add(row);
  }
  transaction.commit();
}

void ResultStore::add(const CellRow& given) {
  CellRow row = given;
  row.platform = printable(row.platform);
  row.answer.message = printable(row.answer.message);
  row.answer.pattern = printable(row.answer.pattern);
  row.recorded_at = now_utc();
  put_->reset();
  bind_row(*put_, row, checksum_of(row));
  put_->run();
}

bool ResultStore::changed_by_others() {
  const std::int64_t version = database_.integer("PRAGMA data_version");
  const bool changed = data_version_ != 0 && version != data_version_;
  data_version_ = version;
  return changed;
}

void ResultStore::for_each(const std::string& where, const std::vector<std::string>& parameters,
                           const std::function<void(const CellRow&)>& visit) {
  Statement statement(database_, fmt::format("SELECT {} FROM cells NOT INDEXED {}{}", all_columns(),
                                             where.empty() ? "" : "WHERE ", where));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    statement.bind(static_cast<int>(i) + 1, parameters[i]);
  }
  while (statement.step()) {
    const CellRow row = row_at(statement);
    if (fault_at(statement, row)) {
      continue;  // the damage was noted when the file was opened
    }
    if (const auto fault = fault_in(row.answer)) {
      note_damage(row, *fault);
      continue;
    }
    visit(row);
  }
}

std::vector<std::pair<std::string, std::int64_t>> ResultStore::other_versions(const CellKey& key) {
  Statement statement(database_,
                      "SELECT version, count(*) FROM cells WHERE engine=?1 AND version<>?2 AND "
                      "platform_id=?3 GROUP BY version");
  statement.bind(1, key.engine);
  statement.bind(2, key.version);
  statement.bind(3, key.platform_id);
  std::vector<std::pair<std::string, std::int64_t>> others;
  while (statement.step()) {
    others.emplace_back(statement.text(0), statement.integer(1));
  }
  return others;
}

}}  // namespace tutti::experiments
