#include "src/sweep/cell_claims.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "schedules/error.hpp"

namespace tutti {

namespace {

constexpr std::chrono::seconds kSignOfLife{10};
// A sweep that has not said for so long that it is alive is none, be it on a machine that has gone
// or stopped in the middle.
constexpr std::int64_t kLost_s = 60;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// When a process began, as the system counts; "" if there is none, or only what is left to bury.
// Another one that was given the same number later has another beginning.
std::string beginning_of(std::int64_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t at = text.rfind(')');  // the name before may hold anything
  if (at != std::string::npos && text.compare(at, 3, ") Z") == 0) {
    return "";
  }
  constexpr int kSpaces = 20;
  for (int space = 0; space < kSpaces && at != std::string::npos; ++space) {
    at = text.find(' ', at + 1);
  }
  return at == std::string::npos ? "" : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t any_number() {
  std::random_device device;
  return std::uniform_int_distribution<std::int64_t>{}(device);
}

// FNV-1a
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      mix(static_cast<unsigned char>(c));
    }
    mix(0);  // ends here
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      mix(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
    }
  }
  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(hash_); }

 private:
  void mix(unsigned char byte) { hash_ = (hash_ ^ byte) * 1099511628211U; }
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace

const char* const CellClaims::kTables = R"(
CREATE TABLE IF NOT EXISTS sweeps (
  owner INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  process INTEGER NOT NULL,
  began TEXT NOT NULL,
  alive_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS claims (
  cell INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL
);
)";

CellClaims::CellClaims(Database& database)
    : database_(database),
      owner_(any_number()),
      take_(database, "INSERT INTO claims (cell, owner) VALUES (?1, ?2) ON CONFLICT DO NOTHING"),
      give_back_(database, "DELETE FROM claims WHERE cell=?1 AND owner=?2") {}

CellClaims::~CellClaims() {
  if (!signed_in_) {
    return;
  }
  try {
    Transaction transaction(database_);
    database_.run(fmt::format("DELETE FROM claims WHERE owner={}", owner_).c_str());
    database_.run(fmt::format("DELETE FROM sweeps WHERE owner={}", owner_).c_str());
    transaction.commit();
  } catch (const UserError&) {
    // No room, perhaps: they are void with the end of this process.
  }
}

std::int64_t CellClaims::number_of(const CellKey& key) {
  Hash hash;
  for_each_column(key, [&hash](std::string_view, const auto& value) { hash.add(value); });
  return hash.value();
}

void CellClaims::sign_in() {
  Statement statement(database_,
                      "INSERT OR REPLACE INTO sweeps (owner, host, process, began, alive_at) "
                      "VALUES (?1, ?2, ?3, ?4, ?5)");
  const std::int64_t process = getpid();
  statement.bind(1, owner_);
  statement.bind(2, std::string_view(host_name()));
  statement.bind(3, process);
  statement.bind(4, std::string_view(beginning_of(process)));
  statement.bind(5, now_s());
  statement.run();
  signed_in_ = true;
  next_sign_ = Clock::now() + kSignOfLife;
}

void CellClaims::show_life() {
  if (!signed_in_ || Clock::now() >= next_sign_) {
    sign_in();
  }
}

bool CellClaims::take(std::int64_t cell) {
  TUTTI_INVARIANT(signed_in_);
  take_.bind(1, cell);
  take_.bind(2, owner_);
  take_.run();
  return sqlite3_changes(database_.get()) > 0;
}

void CellClaims::give_back(std::int64_t cell) {
  give_back_.bind(1, cell);
  give_back_.bind(2, owner_);
  give_back_.run();
}

void CellClaims::drop_void_ones() {
  const std::string here = host_name();
  std::vector<std::int64_t> gone;
  {
    Statement statement(database_, "SELECT owner, host, process, began, alive_at FROM sweeps");
    while (statement.step()) {
      const bool ours = statement.integer(0) == owner_;
      const bool ended =
          statement.text(1) == here && beginning_of(statement.integer(2)) != statement.text(3);
      if (!ours && (ended || statement.integer(4) < now_s() - kLost_s)) {
        gone.push_back(statement.integer(0));
      }
    }
  }
  if (gone.empty()) {
    return;
  }
  Transaction transaction(database_);
  const std::string owners = fmt::format("{}", fmt::join(gone, ","));
  database_.run(fmt::format("DELETE FROM sweeps WHERE owner IN ({})", owners).c_str());
  database_.run("DELETE FROM claims WHERE owner NOT IN (SELECT owner FROM sweeps)");
  transaction.commit();
}

}  // namespace tutti
