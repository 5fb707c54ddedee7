// Runs cases in worker processes or on an executor of the user, and keeps their results in a
// database: the option --db of compare, decide and score.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "base/messages.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sweep/shard.hpp"
#include "src/workers/cell_pool.hpp"

namespace tutti { inline namespace experiments {

struct SweepOptions {
  std::optional<std::string> database;  // path of a file
  std::optional<Shard> shard;
  bool retry_failed = false;
  // Runs the cells. Null: worker processes run those of a sweep with a database, and threads of
  // this process without one.
  CellPool* cells = nullptr;
  // False if this process is another program than tutti, of which no worker can be started. Then a
  // sweep with a database needs `cells`.
  bool can_start_workers = true;

  // True if cells leave this process as lines of text.
  [[nodiscard]] bool hands_out() const { return database || cells != nullptr; }
};

// Throws UserError if options that need a database are given without one.
void check_database_given(const SweepOptions& options);

enum class Waves : std::uint8_t {
  one,      // all cases are known from the start: the number of results found is printed at once
  several,  // the number of results found is printed at the end
};

// Returns the runner that `options` select for cases on `machine`. Throws UserError for invalid
// combinations of options, and if the database cannot be opened.
[[nodiscard]] std::unique_ptr<Runner> runner_for(const SweepOptions& options, Waves waves,
                                                 const Machine& machine, std::size_t jobs,
                                                 Messages& messages);

}}  // namespace tutti::experiments
