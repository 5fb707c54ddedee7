#include "src/experiments/sweep/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <new>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/file_use.hpp"
#include "base/printable.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr int kBusyTimeoutMs = 60'000;

// Returns the path as a URI. Escapes the characters that have a special meaning in URIs.
std::string as_uri(const std::string& path) {
  // Without the "//", the first name in a path that begins with two slashes would be read as a host
  // name.
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri;
}

void call_function(sqlite3_context* context, int count, sqlite3_value** arguments) {
  std::vector<double> numbers;
  for (sqlite3_value* argument : std::span(arguments, static_cast<std::size_t>(count))) {
    if (sqlite3_value_type(argument) == SQLITE_NULL) {
      sqlite3_result_null(context);
      return;
    }
    numbers.push_back(sqlite3_value_double(argument));
  }
  const auto function = reinterpret_cast<Database::Function>(sqlite3_user_data(context));
  sqlite3_result_double(context, function(numbers));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Statement::Statement(Database& database, const std::string& sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  database.check(sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement, nullptr));
  statement_.reset(statement);
}

void Statement::bind(int parameter, std::string_view text) {
  database_->check(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int parameter, std::int64_t number) {
  database_->check(sqlite3_bind_int64(statement_.get(), parameter, number));
}

void Statement::bind(int parameter, const std::optional<double>& number) {
  database_->check(number ? sqlite3_bind_double(statement_.get(), parameter, *number)
                          : sqlite3_bind_null(statement_.get(), parameter));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    database_->check(code);
  }
  return false;
}

void Statement::run() {
  (void)step();
  reset();
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr && sqlite3_errcode(database_->get()) == SQLITE_NOMEM) {
    throw std::bad_alloc();  // a failed allocation must not look like NULL or an empty text
  }
  return bytes == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> Statement::number(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) {
    return std::nullopt;
  }
  return sqlite3_column_double(statement_.get(), column);
}

SqlValue Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_.get(), column);
    default:
      return text(column);
  }
}

SqlRows Statement::rows() {
  SqlRows all;
  const int count = sqlite3_column_count(statement_.get());
  for (int column = 0; column < count; ++column) {
    all.columns.emplace_back(sqlite3_column_name(statement_.get(), column));
  }
  while (step()) {
    std::vector<SqlValue>& row = all.rows.emplace_back();
    for (int column = 0; column < count; ++column) {
      row.push_back(value(column));
    }
  }
  return all;
}

bool Database::open(const std::string& name, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    return false;
  }
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyTimeoutMs);
  // Settings for untrusted files: https://sqlite.org/security.html.
  constexpr int kLongestText = 1 << 26;
  int unused = 0;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &unused);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &unused);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &unused);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &unused);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestText);
  sqlite3_exec(database, "PRAGMA cell_size_check=1", nullptr, nullptr, nullptr);
  // SQLite reads the file only now.
  return sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr) ==
         SQLITE_OK;
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  if (path.empty()) {
    throw UserError("the database name is empty; give a path in an existing folder");
  }
  if (const auto special = special_file(path)) {
    throw UserError(fmt::format("'{}' is {}; give the path of a results database", path, *special));
  }
  for (const char* beside : {"", "-wal", "-shm", "-journal"}) {
    register_input(follow_links(path) + beside);
  }
  const std::string uri = as_uri(path);
  if (mode == Mode::write) {
    if (!open(uri, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
      refuse(sqlite3_extended_errcode(database_.get()));
    }
    return;
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw UserError(fmt::format("'{}' does not exist; {} makes a database", path,
                                shell_command("tutti compare $db")));
  }
  // Readers also open the file for writing, but do not change its data. Therefore they can read
  // while other processes write, and can remove the log of the last writer. If the folder is
  // read-only, the file is opened as immutable, which is safe only if there is no log.
  if (open(uri, SQLITE_OPEN_READWRITE)) {
    run("PRAGMA query_only=1");
  } else if (std::filesystem::exists(path + "-wal", error) ||
             !open(uri + "?immutable=1", SQLITE_OPEN_READONLY)) {
    refuse(sqlite3_extended_errcode(database_.get()));
  }
}

Database::Database() : path_("the query's database in memory") {
  if (!open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
    refuse(sqlite3_extended_errcode(database_.get()));
  }
  run("PRAGMA temp_store=MEMORY");
}

void Database::define(const char* name, int arguments, Function function) {
  check(sqlite3_create_function_v2(get(), name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   reinterpret_cast<void*>(function), call_function, nullptr,
                                   nullptr, nullptr));
}

void Database::run(const char* sql) { check(sqlite3_exec(get(), sql, nullptr, nullptr, nullptr)); }

void Database::run_patiently(const char* sql) {
  constexpr int kPauseMs = 20;
  int code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  for (int waited_ms = 0; (code & 0xff) == SQLITE_BUSY && waited_ms < kBusyTimeoutMs;
       waited_ms += kPauseMs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
    code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  }
  check(code);
}

void Database::check_pages() {
  // Faults of rows are ignored here, because rows have checksums.
  constexpr std::array<std::string_view, 5> kOfRows{
      "CHECK constraint failed", " value in ", " missing from index ",
      "wrong # of entries in index", "non-unique entry in index"};
  Statement statement(*this, "PRAGMA quick_check");
  while (statement.step()) {
    std::string found = statement.text(0);
    if (found.starts_with("*** in database")) {
      found.erase(0, found.find('\n') + 1);
    }
    const bool of_rows = std::any_of(kOfRows.begin(), kOfRows.end(), [&](std::string_view words) {
      return found.find(words) != found.npos;
    });
    if (found != "ok" && !of_rows) {
      throw UserError(fmt::format("'{}' is damaged: {}; give another file, or move this one away",
                                  path_, printable(found.substr(0, found.find('\n')))));
    }
  }
}

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::check(int code) {
  if (code != SQLITE_OK) {
    refuse(sqlite3_extended_errcode(get()) != SQLITE_OK ? sqlite3_extended_errcode(get()) : code);
  }
}

void Database::refuse(int code) {
  const int system_error = database_ ? sqlite3_system_errno(database_.get()) : 0;
  const std::string why = fmt::format("{}{}{}", sqlite3_errstr(code), system_error != 0 ? ": " : "",
                                      system_error != 0 ? std::strerror(system_error) : "");
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw UserError(fmt::format(
          "'{}' is damaged, or not a database of tutti: {}; give another file", path_, why));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw UserError(fmt::format("'{}' has been locked by another program for more than {} s ({})",
                                  path_, kBusyTimeoutMs / 1000, why));
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw UserError(
          fmt::format("cannot write '{}': {}; its results are safe: free some space, then run the "
                      "same command to continue",
                      path_, why));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw UserError(
          fmt::format("cannot open '{}': {}; give a path in an existing, writable "
                      "folder",
                      path_, why));
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      throw UserError(
          fmt::format("'{}' has a value that is too large for a result ({}); it is damaged, or was "
                      "not made by tutti; give another file",
                      path_, why));
    case SQLITE_ERROR: {
      // The file's schema does not fit one of our statements. SQLite's own text for this error code
      // does not say what is wrong.
      const std::string what = database_ ? printable(sqlite3_errmsg(database_.get())) : "";
      throw UserError(fmt::format(
          "'{}' has contents that tutti did not write{}; give another file, or move this one away",
          path_, what.empty() || what == sqlite3_errstr(SQLITE_ERROR) ? "" : " (" + what + ")"));
    }
    default:
      throw UserError(
          fmt::format("'{}' has contents that tutti did not write ({}: {}); give another file, or "
                      "move this one away",
                      path_, why, database_ ? printable(sqlite3_errmsg(database_.get())) : ""));
  }
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}}  // namespace tutti::experiments
