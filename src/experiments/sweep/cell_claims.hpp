// Which cells are under way, so that sweeps that share a database do not run the same one at the
// same time. A claim is worth as much as its owner: of a sweep that has ended, however it ended, it
// is void. Should two sweeps run one cell all the same, there is one row in the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/database.hpp"

namespace tutti::inline experiments {

class CellClaims {
 public:
  // Tables to be made beside that of the cells.
  static const char* const kTables;

  // A sweep on another machine that shows no sign of life for so long, while we look, is none. No
  // clock but ours counts: theirs may be off by hours.
  static constexpr std::chrono::seconds kLost{60};

  explicit CellClaims(Database& database, std::chrono::milliseconds lost_after = kLost);
  CellClaims(const CellClaims&) = delete;
  CellClaims& operator=(const CellClaims&) = delete;
  ~CellClaims();  // gives back what is left

  // The cell's number in the table.
  [[nodiscard]] static std::int64_t number_of(const CellKey& key);

  // These two within a transaction. False where somebody has the cell.
  [[nodiscard]] bool take(std::int64_t cell);
  void give_back(std::int64_t cell);

  // To be called now and then, outside a transaction: says that this sweep is alive, when it is
  // time for that.
  void show_life();

  // Another sweep, at work on the same database.
  struct Other {
    std::string host;
    std::int64_t process = 0;
    std::chrono::milliseconds silent{0};  // since its last sign of life, or since we look
    std::int64_t cells = 0;               // that it has claimed
    bool gone = false;                    // so that its claims are void now
  };
  // Looks who is there, and drops the claims of those who are no more. Not within a transaction.
  std::vector<Other> look_around();

  [[nodiscard]] std::chrono::milliseconds lost_after() const { return lost_after_; }

 private:
  using Clock = std::chrono::steady_clock;

  // What another one's sign of life was when we looked last, and for how long it has been that.
  struct Sign {
    std::int64_t value = 0;
    Clock::duration unchanged{0};
  };

  void sign_in();
  void drop_claims_of(const std::vector<std::int64_t>& owners);

  Database& database_;
  std::int64_t owner_;
  bool signed_in_ = false;
  std::int64_t last_sign_ = 0;
  Clock::time_point next_sign_;
  std::chrono::milliseconds lost_after_;
  std::map<std::int64_t, Sign> signs_;  // by owner
  Clock::time_point looked_;
  Statement take_;
  Statement give_back_;
};

}  // namespace tutti::inline experiments
