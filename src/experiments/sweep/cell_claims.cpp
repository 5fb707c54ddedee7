#include "src/experiments/sweep/cell_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <random>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"

namespace tutti::inline experiments {

namespace {

constexpr std::chrono::seconds kSignOfLife{10};
// As long as this at most counts as time in which we have looked: had this machine stood still, the
// others may not have had a chance to show life either.
constexpr std::chrono::seconds kLongestLook{2};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// What the system says of a process; "" where there is none. Throws UserError where it cannot be
// read: a sweep that lives must not be taken for one that has ended.
std::string status_of(std::int64_t process) {
  const std::string path = fmt::format("/proc/{}/stat", process);
  std::array<char, 4096> text{};  // several times what it takes
  std::size_t size = 0;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = file;
  while (got >= 0 && size < text.size()) {
    got = ::read(file, text.data() + size, text.size() - size);
    if (got == 0) {
      break;
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  const int error = errno;
  if (file >= 0) {
    ::close(file);
  }
  if (got < 0 && error != ENOENT && error != ESRCH) {
    throw UserError(fmt::format("'{}' cannot be read: {}", path, std::strerror(error)));
  }
  return got < 0 ? std::string() : std::string(text.data(), size);
}

// When a process began, as the system counts; "" if there is none, or only what is left to bury.
// Another one that was given the same number later has another beginning.
std::string beginning_of(std::int64_t process) {
  const std::string text = status_of(process);
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

CellClaims::CellClaims(Database& database, std::chrono::milliseconds lost_after)
    : database_(database),
      owner_(any_number()),
      lost_after_(lost_after),
      looked_(Clock::now()),
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
  } catch (const std::exception&) {
    // No room or no memory, perhaps: they are void with the end of this process.
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
  // A time for those who look into the table; what counts is that it is another each time.
  last_sign_ = std::max(now_s(), last_sign_ + 1);
  statement.bind(5, last_sign_);
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

std::vector<CellClaims::Other> CellClaims::look_around() {
  const auto now = Clock::now();
  const auto looked = std::min<Clock::duration>(now - looked_, kLongestLook);
  looked_ = now;
  const std::string here = host_name();
  std::vector<Other> others;
  std::vector<std::int64_t> gone;
  std::map<std::int64_t, Sign> signs;
  {
    Statement statement(database_,
                        "SELECT owner, host, process, began, alive_at, (SELECT count(*) FROM "
                        "claims WHERE claims.owner=sweeps.owner) FROM sweeps");
    while (statement.step()) {
      const std::int64_t owner = statement.integer(0);
      if (owner == owner_) {
        continue;
      }
      Sign sign{statement.integer(4), Clock::duration::zero()};
      if (const auto known = signs_.find(owner);
          known != signs_.end() && known->second.value == sign.value) {
        sign.unchanged = known->second.unchanged + looked;
      }
      signs[owner] = sign;
      const bool ended =
          statement.text(1) == here && beginning_of(statement.integer(2)) != statement.text(3);
      Other& other = others.emplace_back();
      other.host = statement.text(1);
      other.process = statement.integer(2);
      other.silent = std::chrono::duration_cast<std::chrono::milliseconds>(sign.unchanged);
      other.cells = statement.integer(5);
      other.gone = ended || sign.unchanged > lost_after_;
      if (other.gone) {
        gone.push_back(owner);
      }
    }
  }
  signs_ = std::move(signs);
  drop_claims_of(gone);
  return others;
}

void CellClaims::drop_claims_of(const std::vector<std::int64_t>& owners) {
  // A claim that belongs to nobody is void as well.
  constexpr const char* kOfNobody = "owner NOT IN (SELECT owner FROM sweeps)";
  if (owners.empty() &&
      database_.integer(
          fmt::format("SELECT EXISTS (SELECT 1 FROM claims WHERE {})", kOfNobody).c_str()) == 0) {
    return;
  }
  Transaction transaction(database_);
  database_.run(
      fmt::format("DELETE FROM sweeps WHERE owner IN ({})", fmt::join(owners, ",")).c_str());
  database_.run(fmt::format("DELETE FROM claims WHERE {}", kOfNobody).c_str());
  transaction.commit();
}

}  // namespace tutti::inline experiments
