#include "src/sweep/database.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

#include "schedules/error.hpp"

namespace tutti {

namespace {

constexpr int kBusyTimeoutMs = 60'000;

// The characters that a URI gives a meaning.
std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri;
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

void Statement::bind(int parameter, double number) {
  database_->check(sqlite3_bind_double(statement_.get(), parameter, number));
}

void Statement::bind_null(int parameter) {
  database_->check(sqlite3_bind_null(statement_.get(), parameter));
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

bool Database::open(const std::string& name, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    return false;
  }
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyTimeoutMs);
  // Only now is the file looked at.
  return sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr) ==
         SQLITE_OK;
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  if (path.empty()) {
    throw UserError("the name of a database is empty; give a path in an existing folder");
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw UserError(fmt::format("'{}' is a folder; give the path of a database of results", path));
  }
  const std::string uri = as_uri(path);
  if (mode == Mode::write) {
    // A file that may grow no longer is an error to report, and no reason to be killed.
    std::signal(SIGXFSZ, SIG_IGN);
    if (!open(uri, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
      refuse(sqlite3_extended_errcode(database_.get()));
    }
    return;
  }
  if (!std::filesystem::exists(path, error)) {
    throw UserError(fmt::format("there is no '{}'; --db of 'tutti compare' makes one", path));
  }
  // To read along while others write, and to take away their log once nobody does, readers write
  // too, though not to the data. In a folder where they may not, the file is read as it is, which
  // is safe where there is no log.
  if (open(uri, SQLITE_OPEN_READWRITE)) {
    run("PRAGMA query_only=1");
  } else if (std::filesystem::exists(path + "-wal", error) ||
             !open(uri + "?immutable=1", SQLITE_OPEN_READONLY)) {
    refuse(sqlite3_extended_errcode(database_.get()));
  }
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
      throw UserError(
          fmt::format("'{}' is damaged, or no database: {}; name another, or move it "
                      "away",
                      path_, why));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw UserError(
          fmt::format("'{}' is being written by another program, for longer than {} s "
                      "({})",
                      path_, kBusyTimeoutMs / 1000, why));
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw UserError(
          fmt::format("cannot write '{}': {}; what it holds is safe: once there is "
                      "room, the same command goes on from there",
                      path_, why));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw UserError(
          fmt::format("cannot open '{}': {}; give a path in an existing, writable "
                      "folder",
                      path_, why));
    default:
      throw UserError(fmt::format("'{}': {}", path_, why));
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

}  // namespace tutti
