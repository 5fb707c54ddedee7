// Cases that are run by processes of their own, and whose results are kept: what compare, decide and
// score do with --db.
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

// Throws UserError for options that need a database where there is none.
void check_database_given(const SweepOptions& options);

enum class Waves : std::uint8_t {
  one,      // all cases are known from the start: what is found of them is said at once
  several,  // what is found is said in the end
};

// The workers of a sweep: `jobs` processes on this machine. A cell whose worker dies is done by
// another; with the second that dies it has failed.
class Sweep final : public Runner {
 public:
  // Opens the database. Throws UserError. So does run(), when the database cannot be written, or
  // when there are no workers any more; what the database holds by then is there next time. If some
  // cells are of other shards, run() throws ShardDone once its own are kept.
  Sweep(const SweepOptions& options, std::size_t jobs, Waves waves, std::ostream& err);

 private:
  struct PendingCell;
  class Run;

  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override;
  void say_found() override;

  struct CachedResult;

  std::vector<PendingCell> take_from_store(std::vector<CaseRun>& runs);
  void poll_other_processes(std::vector<CachedResult>& others, std::vector<PendingCell>& todo);
  // What an interrupt says.
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
  bool others_write_ = false;  // to the same database, since this began
  PlatformIds ids_;
  std::optional<WhenInterrupted> when_interrupted_;
  std::atomic<std::size_t> found_ = 0;  // in the database
  std::atomic<std::size_t> known_ = 0;  // cells of all waves so far, but for those that are refused
  std::size_t changed_ = 0;             // likewise, but of another schedule
  std::size_t elsewhere_ = 0;           // open cells of other shards
  std::atomic<std::size_t> run_ = 0;    // by this sweep, or by another one meanwhile
};

// The runner that the options come to, for cases on this machine. Throws UserError.
[[nodiscard]] std::unique_ptr<Runner> runner_for(const SweepOptions& options, Waves waves,
                                                 const Machine& machine, std::size_t jobs,
                                                 std::ostream& err);

}  // namespace tutti::inline experiments
