#include "src/sweep/result_store.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <array>
#include <filesystem>

#include "schedules/error.hpp"
#include "src/sweep/cell_claims.hpp"

namespace tutti {

namespace {

// SQLite's marks of whose a file is, and of which make.
constexpr std::int64_t kApplicationId = 0x74757474;  // "tutt"
constexpr std::int64_t kSchemaVersion = 1;

constexpr const char* kTables = R"(
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
  simulated_s REAL,
  longest_path_s REAL,
  exact_s REAL,
  published_s REAL,
  figures TEXT NOT NULL,
  effort TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  UNIQUE (collective, ranks, bytes, algorithm, options, platform_id, engine, network_model, ports,
          ranks_per_host, placement, prices, element_bytes, root, version)
);
)";

constexpr const char* kValueColumns =
    "platform, status, message, simulated_s, longest_path_s, exact_s, published_s, figures, effort";

int columns_of_key() {
  CellKey key;
  int count = 0;
  for_each_column(key, [&count](std::string_view, const auto&) { ++count; });
  return count;
}

// "version=?1 AND collective=?2 AND ..."
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

CellAnswer answer_at(const Statement& statement, int column) {
  return {status_of(statement.text(column)), statement.text(column + 1), statement.text(column + 2),
          statement.text(column + 3)};
}

// A log beside the file needs memory that all writers share, so all must be on one machine. Where a
// file system may belong to several, the older way is taken, with locks on the file.
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
  for (const unsigned long type : kShared) {
    if (static_cast<unsigned long>(info.f_type) == type) {
      return true;
    }
  }
  return false;
}

}  // namespace

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

CellRow row_of(const CellKey& key, const Machine& machine, CellAnswer answer,
               const std::optional<RunResult>& result) {
  CellRow row;
  row.key = key;
  row.platform = platform_name(machine);
  row.answer = std::move(answer);
  if (result) {
    row.simulated_s = result->simulated_s;
    row.longest_path_s = result->longest_path_s;
    row.exact_s = result->exact_s;
    if (const PublishedCost* published = result->main_published()) {
      row.published_s = published->seconds;
    }
  }
  return row;
}

ResultStore::ResultStore(const std::string& path, Database::Mode mode) : database_(path, mode) {
  if (mode == Database::Mode::write) {
    make_tables();
  }
  check_tables();
  find_ = std::make_unique<Statement>(
      database_,
      fmt::format("SELECT status, message, figures, effort FROM cells WHERE {}", key_condition()));
  if (mode == Database::Mode::write) {
    const int keys = columns_of_key();
    std::string parameters;
    for (int i = 1; i <= keys + 9; ++i) {
      parameters += fmt::format("?{}, ", i);
    }
    put_ = std::make_unique<Statement>(
        database_,
        fmt::format("INSERT INTO cells ({}, {}, recorded_at) VALUES ({}"
                    "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) ON CONFLICT DO UPDATE SET "
                    "status=excluded.status, message=excluded.message, "
                    "simulated_s=excluded.simulated_s, longest_path_s=excluded.longest_path_s, "
                    "exact_s=excluded.exact_s, published_s=excluded.published_s, "
                    "figures=excluded.figures, effort=excluded.effort, "
                    "recorded_at=excluded.recorded_at WHERE cells.status='failed'",
                    key_columns(), kValueColumns, parameters));
  }
}

void ResultStore::make_tables() {
  const std::int64_t whose = database_.integer("PRAGMA application_id");
  if (whose != 0 || database_.integer("SELECT count(*) FROM sqlite_schema") != 0) {
    check_tables();  // it is there already; nothing is changed in what is not ours
  }
  database_.run("PRAGMA synchronous=NORMAL");
  database_.run_patiently(is_shared_file_system(database_.path()) ? "PRAGMA journal_mode=DELETE"
                                                                  : "PRAGMA journal_mode=WAL");
  Transaction transaction(database_);
  database_.run(kTables);
  database_.run(CellClaims::kTables);
  database_.run(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
  database_.run(fmt::format("PRAGMA user_version={}", kSchemaVersion).c_str());
  transaction.commit();
}

void ResultStore::check_tables() {
  const std::int64_t whose = database_.integer("PRAGMA application_id");
  const std::int64_t version = database_.integer("PRAGMA user_version");
  if (whose != kApplicationId) {
    throw UserError(
        fmt::format("'{}' is a database of something else; give the name of a new "
                    "file, or of one that 'tutti compare --db' has made",
                    database_.path()));
  }
  if (version != kSchemaVersion) {
    throw UserError(
        fmt::format("'{}' has tables of make {}; this tutti reads and writes make {}: "
                    "give the name of a new file",
                    database_.path(), version, kSchemaVersion));
  }
}

std::optional<CellAnswer> ResultStore::find(const CellKey& key) {
  find_->reset();
  bind_key(*find_, key);
  std::optional<CellAnswer> answer;
  if (find_->step()) {
    answer = answer_at(*find_, 0);
  }
  find_->reset();
  return answer;
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

void ResultStore::add(const CellRow& row) {
  const auto bind_number = [this](int parameter, const std::optional<double>& value) {
    value ? put_->bind(parameter, *value) : put_->bind_null(parameter);
  };
  put_->reset();
  bind_key(*put_, row.key);
  int at = columns_of_key();
  put_->bind(++at, row.platform);
  put_->bind(++at, name(row.answer.status));
  put_->bind(++at, row.answer.message);
  bind_number(++at, row.simulated_s);
  bind_number(++at, row.longest_path_s);
  bind_number(++at, row.exact_s);
  bind_number(++at, row.published_s);
  put_->bind(++at, row.answer.figures);
  put_->bind(++at, row.answer.effort);
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
  Statement statement(
      database_, fmt::format("SELECT {}, status, message, figures, effort, platform, simulated_s, "
                             "longest_path_s, exact_s, published_s, recorded_at FROM cells {}{}",
                             key_columns(), where.empty() ? "" : "WHERE ", where));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    statement.bind(static_cast<int>(i) + 1, std::string_view(parameters[i]));
  }
  CellRow row;
  while (statement.step()) {
    int column = 0;
    for_each_column(row.key,
                    [&](std::string_view, auto& value) { read(statement, column++, value); });
    row.answer = answer_at(statement, column);
    column += 4;
    row.platform = statement.text(column++);
    row.simulated_s = statement.number(column++);
    row.longest_path_s = statement.number(column++);
    row.exact_s = statement.number(column++);
    row.published_s = statement.number(column++);
    row.recorded_at = statement.text(column);
    visit(row);
  }
}

std::vector<std::pair<std::string, std::int64_t>> ResultStore::others_than(std::string_view known) {
  Statement statement(database_,
                      "SELECT version, count(*) FROM cells WHERE version<>?1 GROUP BY version");
  statement.bind(1, known);
  std::vector<std::pair<std::string, std::int64_t>> others;
  while (statement.step()) {
    others.emplace_back(statement.text(0), statement.integer(1));
  }
  return others;
}

std::vector<std::string> ResultStore::values_of(const std::string& column) {
  Statement statement(database_,
                      fmt::format("SELECT DISTINCT {0} FROM cells ORDER BY {0}", column));
  std::vector<std::string> values;
  while (statement.step()) {
    values.push_back(statement.text(0));
  }
  return values;
}

}  // namespace tutti
