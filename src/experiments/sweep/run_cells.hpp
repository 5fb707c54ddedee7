// Cells that are run by processes of their own, and whose results are kept: what `compare` and
// `decide` do with --db, and under tutti-sweep.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "simulation/machine.hpp"
#include "simulation/run_result.hpp"
#include "src/experiments/comparison.hpp"
#include "src/experiments/sweep/cell_claims.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/formats/progress.hpp"
#include "src/workers/cell_workers.hpp"

namespace tutti {

struct SweepOptions {
  OptionText database;
  bool retry_failed = false;

  void add_to(CLI::App& app);
};

// A cell to do, and where its result goes: `outcome` has algorithm and problem, or a refusal known
// beforehand, which is recorded as well.
struct CellTask {
  RunOutcome* outcome = nullptr;
  const Machine* machine = nullptr;
  double expected_work = 1;  // in any unit; the longest are begun first
};

// The same for any runs.
[[nodiscard]] std::vector<CellTask> tasks_of(const Runs& runs);

struct SweepCount {
  std::size_t found = 0;  // in the database
  std::size_t run = 0;    // by this sweep, or by another one meanwhile
  std::size_t failed = 0;
};

class Sweep {
 public:
  // True where cells are to be run by a Sweep: with --db, and under tutti-sweep.
  [[nodiscard]] static bool wanted(const SweepOptions& options);

  // `jobs` processes on this machine; under tutti-sweep, its workers in place of them. Opens the
  // database. Throws UserError.
  Sweep(const SweepOptions& options, std::size_t jobs);

  // A cell whose worker dies is done by another; with the second that dies it has failed. Says on
  // `err` how far it is ("comparing: 3 of 8 cells"), what it found in the database, and what has
  // failed. Throws UserError when the database cannot be written, or when there are no workers any
  // more; what the database holds by then is there next time.
  SweepCount run(std::vector<CellTask> tasks, const std::string& doing, std::ostream& err);
  // The same for cells that are not all known from the start, again and again; sum_up() then says
  // what all of them have found and lost.
  void run_wave(std::vector<CellTask> tasks, const std::string& doing, std::ostream& err);
  SweepCount sum_up(std::ostream& err) const;

 private:
  struct Todo;
  class Run;

  std::vector<Todo> take_from_store(std::vector<CellTask>& tasks);
  void finish(const std::vector<CellTask>& tasks, std::vector<Todo>& todo, const std::string& doing,
              std::ostream& err);
  bool take_if_there(Todo& todo);
  CellWorkers& workers();
  void say_found(std::size_t of, const char* are, std::ostream& err) const;
  void say_failed(std::ostream& err) const;

  std::unique_ptr<ResultStore> store_;
  std::unique_ptr<CellClaims> claims_;  // where there is a store
  std::unique_ptr<CellWorkers> workers_;
  std::size_t jobs_;
  bool retry_failed_;
  bool said_others_ = false;
  bool others_write_ = false;  // to the same database, since this began
  PlatformIds ids_;
  SweepCount total_;
  std::vector<RunOutcome> failed_;
};

}  // namespace tutti
