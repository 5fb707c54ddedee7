// Cases that are run by processes of their own, and whose results are kept: what `compare` and
// `decide` do with --db, and under tutti-sweep.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sweep/cell_claims.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/workers/cell_workers.hpp"

namespace tutti::inline experiments {

struct SweepOptions {
  OptionText database;
  bool retry_failed = false;

  void add_to(Command& app);
};

inline constexpr const char* kRetryWithoutDatabase =
    "--retry-failed needs --db, the database that says what has failed";

// True where cases are to be run by a sweep: with --db, and under tutti-sweep.
[[nodiscard]] bool wants_sweep(const SweepOptions& options);

enum class Waves : std::uint8_t {
  one,      // all cases are known from the start: what is found of them is said at once
  several,  // what is found is said in the end
};

// The workers of a sweep: `jobs` processes on this machine; under tutti-sweep, its workers in place
// of them. A cell whose worker dies is done by another; with the second that dies it has failed.
class Sweep final : public Runner {
 public:
  // Opens the database. Throws UserError. So does run(), when the database cannot be written, or
  // when there are no workers any more; what the database holds by then is there next time.
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
  CellWorkers& workers();

  std::unique_ptr<ResultStore> store_;
  std::unique_ptr<CellClaims> claims_;  // where there is a store
  std::unique_ptr<CellWorkers> workers_;
  std::size_t jobs_;
  Waves waves_;
  bool retry_failed_;
  bool said_others_ = false;
  bool said_found_ = false;
  bool others_write_ = false;  // to the same database, since this began
  PlatformIds ids_;
  std::optional<WhenInterrupted> when_interrupted_;
  std::atomic<std::size_t> found_ = 0;  // in the database
  std::atomic<std::size_t> known_ = 0;  // cells of all waves so far, but for those that are refused
  std::size_t changed_ = 0;             // likewise, but of another schedule
  std::atomic<std::size_t> run_ = 0;    // by this sweep, or by another one meanwhile
};

// The runner that the options come to, for cases on this machine. Throws UserError.
[[nodiscard]] std::unique_ptr<Runner> runner_for(const SweepOptions& options, Waves waves,
                                                 const Machine& machine, std::size_t jobs,
                                                 std::ostream& err);

}  // namespace tutti::inline experiments
