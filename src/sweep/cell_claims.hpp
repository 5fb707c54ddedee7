// Which cells are under way, so that sweeps that share a database do not run the same one at the
// same time. A claim is worth as much as its owner: of a sweep that has ended, however it ended, it
// is void. Should two sweeps run one cell all the same, there is one row in the end.
#pragma once

#include <chrono>
#include <cstdint>

#include "src/sweep/cell.hpp"
#include "src/sweep/database.hpp"

namespace tutti {

class CellClaims {
 public:
  // Tables to be made beside that of the cells.
  static const char* const kTables;

  explicit CellClaims(Database& database);
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
  // Drops the claims of sweeps that are no more. Not within a transaction.
  void drop_void_ones();

 private:
  using Clock = std::chrono::steady_clock;

  void sign_in();

  Database& database_;
  std::int64_t owner_;
  bool signed_in_ = false;
  Clock::time_point next_sign_;
  Statement take_;
  Statement give_back_;
};

}  // namespace tutti
