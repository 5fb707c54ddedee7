// Runs cases: in threads, in processes that have loaded a platform, or in the workers of a sweep.
// Callers do not depend on where cases run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/runner/work_estimate.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

class Runner {
 public:
  explicit Runner(Messages& messages) : messages_(messages) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  // `all`: this call of run() gets all cases. `so_far`: later calls may get further cases.
  enum class KnownCases : std::uint8_t { all, so_far };

  // Runs the cases that have no outcome yet, and shows progress: "comparing: 3 of 8 cells". The
  // outcome of a case with invalid input is a refusal. The outcome of a case whose process died, or
  // that ran out of memory, is a failure, which does not affect the other cases.
  void run(std::vector<CaseRun>& runs, const std::string& doing,
           KnownCases known = KnownCases::all);
  // Reports the failed cases of all calls of run(). Returns true if a case has failed. Must be
  // called after the last run().
  bool sum_up();
  // From now on, an interrupt prints how much work is lost, followed by `advice`.
  void keeps_nothing(const std::string& advice);

 protected:
  virtual void run_open(std::vector<CaseRun>& runs, const std::string& doing) = 0;
  virtual void say_found() {}

  [[nodiscard]] Messages& messages() const { return messages_; }
  // Returns a new progress line for `cells` cells. Each call of run() needs one such line.
  [[nodiscard]] Progress new_progress(const std::string& doing, std::size_t cells);
  // Notes that `cells` of the cells for which new_progress() was called are done.
  void note_done(std::size_t cells) { done_ = cells; }

 private:
  Messages& messages_;
  KnownCases known_ = KnownCases::all;
  // In a search: number of cells in all calls of run() so far; otherwise 0.
  std::atomic<std::size_t> before_ = 0;
  std::atomic<std::size_t> cells_ = 0;  // number of cells in this call of run()
  std::atomic<std::size_t> done_ = 0;
  std::optional<InterruptMessage> when_interrupted_;
  std::size_t lost_ = 0;
  std::string first_lost_;
};

// Returns a runner that runs up to `jobs` cases at a time on this machine: in threads of this
// process or, if SimGrid must load the platform of `machine`, in processes that have loaded it. In
// the second case, all cases must have the same platform.
[[nodiscard]] std::unique_ptr<Runner> local_runner(const Machine& machine, std::size_t jobs,
                                                   Messages& messages);

// Returns an estimate of the work to simulate a case, in arbitrary units. The estimate is used only
// to order cases and to estimate the time left.
[[nodiscard]] double expected_work(const Case& what);

}}  // namespace tutti::experiments
