// Runs cases in worker processes, and keeps their results in a database: the option --db of
// compare, decide and score.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/experiments/sweep/shard.hpp"
#include "src/workers/worker_pool.hpp"

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

// Runs cases in `jobs` worker processes on this machine. If a worker dies while it runs a case,
// another worker runs the case again. If that worker dies too, the case counts as failed.
class Sweep final : public Runner {
 public:
  // Opens the database. Throws UserError if it cannot be opened. run() throws UserError if the
  // database cannot be written or if no worker can be started; the results that are already in the
  // database are kept for the next sweep. If some cells belong to other shards, run() throws
  // ShardDone after the cells of this shard are run and stored.
  Sweep(const SweepOptions& options, std::size_t jobs, Waves waves, std::ostream& err);

 private:
  struct PendingCell;
  class Run;

  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override;
  void say_found() override;

  struct CachedResult;

  std::vector<PendingCell> take_from_store(std::vector<CaseRun>& runs);
  void poll_other_processes(std::vector<CachedResult>& others, std::vector<PendingCell>& todo);
  // Returns the text that an interrupt prints: how many results are kept, and how to continue.
  [[nodiscard]] std::string kept_in_words() const;
  void say_what_else_it_holds(const std::vector<PendingCell>& todo);
  bool take_if_there(PendingCell& todo);
  bool others_have_written();
  [[noreturn]] void end_shard(const std::vector<CaseRun>& runs);
  WorkerPool& workers();

  ResultStore store_;
  std::unique_ptr<WorkerPool> workers_;
  std::size_t jobs_;
  Waves waves_;
  Shard shard_;
  bool retry_failed_;
  bool said_others_ = false;
  bool said_found_ = false;
  bool others_write_ = false;  // another process has written to the database since this sweep began
  PlatformIds ids_;
  std::optional<WhenInterrupted> when_interrupted_;
  std::atomic<std::size_t> found_ = 0;  // results found in the database
  std::atomic<std::size_t> known_ = 0;  // cells of all waves so far, without refused ones
  std::size_t changed_ = 0;             // results found in the database whose schedule has changed
  std::size_t elsewhere_ = 0;           // open cells of other shards
  std::atomic<std::size_t> run_ = 0;    // cells run by this sweep, or meanwhile by another sweep
};

// Returns the runner that `options` select for cases on `machine`. Throws UserError for invalid
// combinations of options, and if the database cannot be opened.
[[nodiscard]] std::unique_ptr<Runner> runner_for(const SweepOptions& options, Waves waves,
                                                 const Machine& machine, std::size_t jobs,
                                                 std::ostream& err);

}  // namespace tutti::inline experiments
