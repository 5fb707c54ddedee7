// Runs cases in worker processes, and keeps their results in a database: the option --db of
// compare, decide and score.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>

#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sweep/shard.hpp"

namespace tutti::inline experiments {

struct SweepOptions {
  OptionText database;
  OptionText shard;
  bool retry_failed = false;

  void add_to(Command& app);
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
                                                 std::ostream& err);

}  // namespace tutti::inline experiments
