// Tests the database of results: whichever system call fails, the database has either its old
// content or the complete new content, and the next sweep can continue with it.
#include "src/experiments/sweep/result_store.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "tests/faults/database.hpp"
#include "tests/faults/sweep.hpp"

namespace tutti::faults {
namespace {

namespace fs = std::filesystem;

const std::vector<CellRow>& first_rows() {
  static const std::vector<CellRow> rows{row_of(8, CellStatus::refused),
                                         row_of(16, CellStatus::refused),
                                         row_of(24, CellStatus::failed)};
  return rows;
}
// The row of 24 bytes replaces the failed row in first_rows(): failed rows may be replaced.
const std::vector<CellRow>& second_rows() {
  static const std::vector<CellRow> rows{row_of(24, CellStatus::refused),
                                         row_of(32, CellStatus::refused),
                                         row_of(40, CellStatus::refused)};
  return rows;
}

std::string content_of(ResultStore& store) {
  std::vector<std::string> lines;
  store.for_each("", {}, [&](const CellRow& row) {
    lines.push_back(row.key.collective + ' ' + row.key.algorithm + ' ' + row.key.version + ' ' +
                    std::to_string(row.key.bytes) + ' ' + std::string(name(row.answer.status)) +
                    ' ' + row.answer.message + ' ' + row.platform + '\n');
  });
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

void make(const std::string& path, bool both) {
  ResultStore store(path, Database::Mode::write);
  store.put(first_rows());
  if (both) {
    store.put(second_rows());
  }
}

// A database, and the operations on it that are tested. Before each operation except "create a
// store", the database is reset to first_rows().
struct Store {
  Folder folder{"store"};
  std::string path = folder.file("results.db");
  std::string seed = folder.file("seed.db");
  std::string before;
  std::string after;

  Store() {
    make(seed, false);
    before = content(seed);
    make(path, true);
    after = content(path);
    REQUIRE(before != after);
  }

  static std::string content(const std::string& of) {
    ResultStore store(of, Database::Mode::read);
    return content_of(store);
  }
  void put_back() const {
    folder.remove("results.db");
    fs::copy_file(seed, path);
  }
  // Checks that the database is not corrupt, that it has the old content (or, if `may_be_new`, the
  // new content), and that it accepts more rows.
  void check_whole(bool may_be_new) const {
    ResultStore store(path, Database::Mode::write);
    Statement check(store.database(), "PRAGMA integrity_check");
    REQUIRE(check.step());
    CHECK(check.text(0) == "ok");
    const std::string now = content_of(store);
    CHECK((now == before || (may_be_new && now == after)));
    store.put(second_rows());
    CHECK(content_of(store) == after);
  }

  [[nodiscard]] std::vector<Operation> operations() const {
    return {{"create a store", [this] { folder.remove("results.db"); },
             [this] {
               const ResultStore store(path, Database::Mode::write);
               return std::string("made");
             },
             [this](bool) {
               make(path, true);
               CHECK(content(path) == after);
             }},
            {"add rows", [this] { put_back(); },
             [this] {
               ResultStore store(path, Database::Mode::write);
               store.put(second_rows());
               return std::string("put");
             },
             [this](bool) { check_whole(true); }},
            {"resume a sweep", [this] { put_back(); },
             [this] {
               ResultStore store(path, Database::Mode::write);
               std::string found;
               for (const auto* rows : {&first_rows(), &second_rows()}) {
                 for (const CellRow& row : *rows) {
                   const auto known = store.find(row.key);
                   found += known ? std::string(name(known->answer.status)) + known->answer.message
                                  : "nothing";
                 }
               }
               return found;
             },
             [this](bool) { check_whole(false); }},
            {"read rows", [this] { put_back(); },
             [this] {
               ResultStore store(path, Database::Mode::read);
               return content_of(store);
             },
             [this](bool) { check_whole(false); }}};
  }
};

void sweep_store(Share share) {
  const Store store;
  for (const Operation& operation : store.operations()) {
    for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::short_count}) {
      sweep(operation, kind, share);
    }
  }
}

}  // namespace

TEST_CASE("a fault leaves the result store intact, and the next sweep continues") {
  sweep_store(Share::some);
}

TEST_CASE("any fault at all leaves the result store intact", "[slow]") { sweep_store(Share::all); }

}  // namespace tutti::faults
