// A thin wrapper around SQLite: statements, transactions, and errors for users.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tutti { inline namespace experiments {

class Database;

// A value in SQL. std::monostate is NULL.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// The rows that a query returned.
struct SqlRows {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
};

// An SQL statement. Its parameters are numbered from 1, the columns of its result from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  void bind(int parameter, std::string_view text);
  void bind(int parameter, std::int64_t number);
  void bind(int parameter, const std::optional<double>& number);  // binds NULL if it is empty
  // Goes to the next row, and returns false if there is none. Call reset() before the statement is
  // bound and stepped again.
  [[nodiscard]] bool step();
  void run();  // executes a statement that returns no row, then calls reset()
  void reset();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<double> number(int column) const;  // empty for NULL
  [[nodiscard]] SqlValue value(int column) const;
  [[nodiscard]] SqlRows rows();  // all rows from the next one on

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Mode : std::uint8_t { read, write };

  // Mode::write makes the file if it does not exist. Code in the file (views, triggers, and
  // functions in its tables' definitions) is not trusted. Throws UserError, which names the file,
  // if the file cannot be opened.
  Database(const std::string& path, Mode mode);
  // An empty database in memory.
  Database();

  // Makes a function available in SQL, which returns NULL if an argument is NULL.
  using Function = double (*)(std::span<const double>);
  void define(const char* name, int arguments, Function function);

  void run(const char* sql);
  // As run(), but waits for other processes that use the file even in the cases in which SQLite
  // itself does not wait but reports an error at once.
  void run_patiently(const char* sql);
  [[nodiscard]] std::int64_t integer(const char* sql);
  // Throws UserError if SQLite finds damaged pages in the file. Ignores faults of single rows or of
  // an index, which the caller must check.
  void check_pages();
  // Throws UserError unless `code`, which a function of SQLite returned, means success.
  void check(int code);

  [[nodiscard]] sqlite3* get() const { return database_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[noreturn]] void refuse(int code);
  bool open(const std::string& name, int flags);

  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// A transaction that is rolled back unless commit() is called.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}}  // namespace tutti::experiments
